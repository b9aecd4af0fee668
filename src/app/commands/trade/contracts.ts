import type { Rpc } from '../../../chain/rpc/rpc.ts'
import { settlementAbi } from '../../../chain/settlement/call.ts'
import { vaultRelayerOf } from '../../../client/contracts.ts'
import { type Address, toAddress } from '../../../domain/evm/address.ts'
import { chainIdOfName, chains, goesBy } from '../../../domain/network/chains.ts'
import { domainSeparator } from '../../../domain/signing/signing.ts'
import { CommandFault, exitCodes } from '../service.ts'

/** The facts of a network that this machine knows. No address that is signed for comes from a service. */

/** The place for which an order is signed. */
export interface SigningPlace {
  network: string
  chainId: number
  settlementContract: Address
}

/** A network of NETWORKS_FILE. */
export interface OwnNetwork {
  chainId: number
  settlement: Address
  vaultRelayer: Address
}

/** Finds a network of NETWORKS_FILE by its name. */
export type FindOwnNetwork = (name: string) => OwnNetwork | undefined

/**
 * Checks chain id and settlement contract, which a service or a file names, against the table of chains and
 * the network of NETWORKS_FILE.
 * @throws CommandFault if they are others
 */
export function checkPlace(place: SigningPlace, own: OwnNetwork | undefined): void {
  const fault = faultOf(place, own)
  if (fault) throw new CommandFault(exitCodes.refused, fault)
}

function faultOf({ network, chainId, settlementContract }: SigningPlace, own: OwnNetwork | undefined) {
  const known = own?.chainId ?? chainIdOfName(network)
  const settlement = toAddress(String(settlementContract))
  if (known !== undefined && known !== chainId)
    return `the service says that ${network} has the chain id ${chainId}, and it is ${known}`
  if (settlement && (own ? own.settlement === settlement : vaultRelayerOf(settlement))) return undefined
  return `${settlementContract} is not known as a settlement contract of ${network}: where the network has one of its own, name it in NETWORKS_FILE`
}

/** The contract to which sell tokens are approved. @throws CommandFault if the place is not a known one */
export function vaultRelayer(place: SigningPlace, own: OwnNetwork | undefined): Address {
  checkPlace(place, own)
  const known = own?.vaultRelayer ?? toAddress(vaultRelayerOf(place.settlementContract) ?? '')
  if (!known) throw new TypeError('a known settlement contract has a vault relayer')
  return known
}

/**
 * Compares the contracts with those at a node.
 * @throws CommandFault if they are others; Outage, RpcError
 */
export async function checkAtNode(place: SigningPlace, own: OwnNetwork | undefined, rpc: Rpc): Promise<void> {
  const { chainId, settlementContract: to } = place
  const ask = (name: 'domainSeparator' | 'vaultRelayer') =>
    rpc.call<string>('eth_call', [{ to, data: settlementAbi.encodeFunctionData(name) }, 'latest'])
  const [separator, relayer] = await Promise.all([ask('domainSeparator'), ask('vaultRelayer')])
  if (separator !== domainSeparator({ chainId, settlement: to }))
    throw new CommandFault(exitCodes.refused, `${to} is no settlement contract at the node`)
  const expected = vaultRelayer(place, own)
  if (toAddress(`0x${relayer.slice(-40)}`) !== expected)
    throw new CommandFault(exitCodes.refused, `the vault relayer at the node is not ${expected}`)
}

/** The name of the chain, whatever a service calls it. */
export function placeName({ network, chainId }: Pick<SigningPlace, 'network' | 'chainId'>): string {
  const name = chains.get(chainId)?.names[0]
  return name === undefined || goesBy({ name, chainId }, network) ? network : `${name} (named ${network})`
}
