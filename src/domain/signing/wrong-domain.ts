import { type Address, zeroAddress } from '../evm/address.ts'
import { chains } from '../network/chains.ts'
import { profiles, settlementPairs } from '../network/deployments.ts'
import type { Network } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import { domainName, domainVersion } from './signing.ts'
import type { DomainFields } from './typed-data.ts'

/** Retired test chains and the usual ids of local chains. */
const retiredAndLocalChainIds = [4, 5, 1337, 31337]
const otherVersions = ['v1', '1', '2', '2.0', '1.0']
const otherNames = [
  'CoW Protocol',
  'Cow Protocol',
  'CowSwap',
  'CoW Swap',
  'Gnosis Protocol v2',
  'GPv2Settlement',
]

/** Domains that clients sign with by mistake. `description` follows "signed the order". */
export function* wrongDomains(
  creation: Pick<OrderCreation, 'sellToken' | 'buyToken'>,
  { chainId, settlement, vaultRelayer }: Network,
): Generator<[mistake: SignatureMistake, description: string, domain: DomainFields]> {
  const rightDomain = { name: domainName, version: domainVersion, chainId, verifyingContract: settlement }
  for (const other of [...chains.keys(), ...retiredAndLocalChainIds]) {
    if (other !== chainId) yield ['chain_id', `for chain ${other}`, { ...rightDomain, chainId: other }]
  }
  yield ['chain_id', 'without chainId in the domain', { ...rightDomain, chainId: undefined }]

  const contracts: [description: string, contract: Address][] = [
    ['the vault relayer', vaultRelayer],
    ['the zero address', zeroAddress],
    ...profiles.map((profile): [string, Address] => [
      `the settlement contract of ${profile}`,
      settlementPairs[profile].settlement,
    ]),
    ['the sell token', creation.sellToken],
    ['the buy token', creation.buyToken],
  ]
  for (const [description, verifyingContract] of contracts) {
    if (verifyingContract === settlement) continue
    yield [
      'verifying_contract',
      `with ${description} as verifyingContract`,
      { ...rightDomain, verifyingContract },
    ]
  }
  const withoutContract = { ...rightDomain, verifyingContract: undefined }
  yield ['verifying_contract', 'without verifyingContract in the domain', withoutContract]

  yield ['domain_version', 'without version in the domain', { ...rightDomain, version: undefined }]
  for (const version of otherVersions) {
    yield ['domain_version', `with version ${version} in the domain`, { ...rightDomain, version }]
  }
  yield ['domain_name', 'without name in the domain', { ...rightDomain, name: undefined }]
  for (const name of otherNames)
    yield ['domain_name', `with name ${name} in the domain`, { ...rightDomain, name }]
}
