import { type Address, zeroAddress } from '../evm/address.ts'
import { chains } from '../network/chains.ts'
import { profiles, settlementPairs } from '../network/deployments.ts'
import type { Network } from '../network/network.ts'
import type { OrderData } from '../order/order.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import { domainName, domainVersion } from './signing.ts'
import type { DomainFields } from './typed-data.ts'

/** Test chains that are no more, and what local ones call themselves. */
const retiredAndLocal = [4, 5, 1337, 31337]
const otherVersions = ['v1', '1', '2', '2.0', '1.0']
const otherNames = [
  'CoW Protocol',
  'Cow Protocol',
  'CowSwap',
  'CoW Swap',
  'Gnosis Protocol v2',
  'GPv2Settlement',
]

/** Domains that clients sign with by mistake. `what` follows "signed the order". */
export function* wrongDomains(
  { sellToken, buyToken }: Pick<OrderData, 'sellToken' | 'buyToken'>,
  { chainId, settlement, vaultRelayer }: Network,
): Generator<[mistake: SignatureMistake, what: string, domain: DomainFields]> {
  const right = { name: domainName, version: domainVersion, chainId, verifyingContract: settlement }
  for (const other of [...chains.keys(), ...retiredAndLocal]) {
    if (other !== chainId) yield ['chain_id', `for chain ${other}`, { ...right, chainId: other }]
  }
  yield ['chain_id', 'without chainId in the domain', { ...right, chainId: undefined }]

  const contracts: [what: string, contract: Address][] = [
    ['the vault relayer', vaultRelayer],
    ['the zero address', zeroAddress],
    ...profiles.map((profile): [string, Address] => [
      `the settlement contract of ${profile}`,
      settlementPairs[profile].settlement,
    ]),
    ['the sell token', sellToken],
    ['the buy token', buyToken],
  ]
  for (const [what, verifyingContract] of contracts) {
    if (verifyingContract === settlement) continue
    yield ['verifying_contract', `with ${what} as verifyingContract`, { ...right, verifyingContract }]
  }
  const nowhere = { ...right, verifyingContract: undefined }
  yield ['verifying_contract', 'without verifyingContract in the domain', nowhere]

  yield ['domain_version', 'without version in the domain', { ...right, version: undefined }]
  for (const version of otherVersions) {
    yield ['domain_version', `with version ${version} in the domain`, { ...right, version }]
  }
  yield ['domain_name', 'without name in the domain', { ...right, name: undefined }]
  for (const name of otherNames) yield ['domain_name', `with name ${name} in the domain`, { ...right, name }]
}
