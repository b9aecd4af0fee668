import { TradegraphError } from './error.ts'

/** The vault relayer of each settlement contract that is deployed, at the same addresses on every chain. */
const vaultRelayers: Readonly<Record<string, string>> = {
  '0x9008d19f58aabd9ed0d60971565aa8510560ab41': '0xc92e8bdf79f0507f65a392b0ab4667716bfe0110',
  '0xf553d092b50bdcbdded1a99af2ca29fbe5e2cb13': '0xc7242d167563352e2bca4d71c043fbe542db8fb2',
}

/**
 * The contract to which sell tokens are approved, in lower case. It is the client’s own knowledge and no
 * word of a service.
 * @returns undefined for a settlement contract of which the client does not know
 */
export function vaultRelayerOf(settlementContract: string): string | undefined {
  const key = settlementContract.toLowerCase()
  return Object.hasOwn(vaultRelayers, key) ? vaultRelayers[key] : undefined
}

/**
 * Checks the contract for which a service wants a signature.
 * @param own the contract that the caller names; without it, the claimed contract has to be a known one
 * @throws TradegraphError if the claimed contract is another one
 */
export function checkSettlement(claimed: string, own: string | undefined): void {
  if (own === undefined ? vaultRelayerOf(claimed) : claimed.toLowerCase() === own.toLowerCase()) return
  throw new TradegraphError(
    'InvalidParameter',
    `the service wants a signature for the contract ${address(claimed)}, which is not the settlement contract`,
    { field: 'settlementContract' },
  )
}

const address = (text: string) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? text : 'of no address')
