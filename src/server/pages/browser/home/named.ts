import { mistakeIn, type SignatureMistake } from '../../../../domain/signing/signature-mistake.ts'
import { type Contract, contractOf, type NetworkContracts } from '../view/contracts.ts'

/** What a text names beside its words, by the number of its digits. */
export interface Named {
  order?: string | undefined
  transaction?: string | undefined
  /** Without the service’s own contracts. */
  addresses: string[]
  contracts: (Contract & { address: string })[]
  /** Who signed, and who should have, by the text: it may be anybody’s. */
  signer?: { signed: string; owner: string } | undefined
  /** What was signed by mistake: the right account signed then, and the signer in the text is no real account. */
  mistake?: SignatureMistake | undefined
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
  const signer = signerIn(text)
  const mistake = mistakeIn(text)
  const accounts = all.flatMap(({ address, contract }) => (contract ? [] : [address]))
  return {
    order: ofLength(112)[0],
    transaction: ofLength(64)[0],
    addresses: mistake === undefined ? accounts : accounts.filter((address) => address !== signer?.signed),
    contracts: all.flatMap(({ address, contract }) => (contract ? { ...contract, address } : [])),
    ...(mistake === undefined ? { signer } : { mistake }),
  }
}

/** A number of hex digits that lacks some, or has too many, in a text that names nothing whole. */
export function cutIn(text: string): { digits?: number } | undefined {
  const [, digits = '', dots] = /\b0x([\da-f]{3,}|(?=…|\.\.))(…|\.\.)?/i.exec(text) ?? []
  if (dots !== undefined) return {}
  return digits === '' ? undefined : { digits: digits.length }
}

/** Of the messages of a wrong signature. */
function signerIn(text: string): Named['signer'] {
  const [, signed, owner] =
    /(?:recovers to|signer is) (0x[\da-f]{40}), (?:from is|the order belongs to|the owner is) (0x[\da-f]{40})/i.exec(
      text,
    ) ?? []
  return signed && owner ? { signed: signed.toLowerCase(), owner: owner.toLowerCase() } : undefined
}
