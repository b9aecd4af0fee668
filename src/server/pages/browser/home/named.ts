import { type Contract, contractOf, type NetworkContracts } from '../view/contracts.ts'

/** What a text names beside its words, by the number of its digits. */
export interface Named {
  order?: string | undefined
  transaction?: string | undefined
  /** Without the service’s own contracts. */
  addresses: string[]
  contracts: (Contract & { address: string })[]
  /** Who signed, and who should have: the text says which is which. */
  signer?: { signed: string; owner: string } | undefined
}

/** @param networks none where they are not known: their contracts then count as accounts */
export function namedIn(text: string, networks: readonly NetworkContracts[]): Named {
  const parts = text.toLowerCase().split(/[^0-9a-fx]+/)
  const ofLength = (length: number) => {
    const hexes = parts.map((part) => part.replace(/^0x/, ''))
    return [...new Set(hexes.filter((hex) => hex.length === length && !hex.includes('x')))].map(
      (hex) => `0x${hex}`,
    )
  }
  const all = ofLength(40).map((address) => ({ address, contract: contractOf(address, networks) }))
  return {
    order: ofLength(112)[0],
    transaction: ofLength(64)[0],
    addresses: all.filter(({ contract }) => !contract).map(({ address }) => address),
    contracts: all.flatMap(({ address, contract }) => (contract ? { ...contract, address } : [])),
    signer: signerIn(text),
  }
}

/** Of the messages of a wrong signature. */
function signerIn(text: string): Named['signer'] {
  const [, signed, owner] =
    /(?:recovers to|signer is) (0x[\da-f]{40}), (?:from is|the order belongs to|the owner is) (0x[\da-f]{40})/i.exec(
      text,
    ) ?? []
  return signed && owner ? { signed: signed.toLowerCase(), owner: owner.toLowerCase() } : undefined
}
