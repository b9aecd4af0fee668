import { SigningKey } from 'ethers'
import { type Rpc, RpcError } from '../../../chain/rpc/rpc.ts'
import { parseIndex } from '../../../chain/rpc/wire.ts'
import { readTokenMetadata } from '../../../chain/token/metadata.ts'
import { Outage } from '../../../domain/errors/error.ts'
import { explained } from '../../../domain/errors/error-explanations.ts'
import { nativeMarker } from '../../../domain/evm/address.ts'
import type { Hex } from '../../../domain/evm/hex.ts'
import { unixSeconds } from '../../../domain/log.ts'
import { type OrderUid, toOrderUid } from '../../../domain/order/order.ts'
import { cancellationsDigest, orderDigest, orderUid } from '../../../domain/signing/signing.ts'
import { plain } from '../../../domain/text/readable.ts'
import { CommandFault, exitCodes, queryService, type Service } from '../service.ts'
import { checkAtNode, checkPlace, type FindOwnNetwork, type OwnNetwork, vaultRelayer } from './contracts.ts'
import {
  domainOf,
  impactLine,
  type OrderFile,
  orderDataOf,
  placeLine,
  type SignedFile,
  termLines,
  termsInput,
} from './order-file.ts'
import type { NetworkAnswer } from './quote.ts'
import { confirm, readKey, type TerminalSigner } from './terminal.ts'

/** The flags of commands that sign, as given. */
interface SigningFlags {
  'key-file': string | undefined
  yes: boolean
}

interface OrderSigningFlags extends SigningFlags {
  'accept-impact': boolean
}

type Warn = (line: string) => void

interface SigningTools {
  warn: Warn
  rpc: Rpc | undefined
  own: OwnNetwork | undefined
}

/** Signs an order after its terms were shown and confirmed. @throws CommandFault */
export async function sign(
  file: OrderFile,
  flags: OrderSigningFlags,
  { warn, rpc, own }: SigningTools,
): Promise<SignedFile> {
  checkPlace(file, own)
  const now = unixSeconds(Date.now())
  if (file.order.validTo <= now)
    throw new CommandFault(exitCodes.refused, 'the order has expired: quote again')
  for (const line of termLines(file, now)) warn(line)
  const impact = impactLine(file)
  if (impact !== undefined) warn(impact)
  if (file.priceImpact?.needsAcceptance && !flags['accept-impact'])
    throw new CommandFault(exitCodes.refused, 'the price is far from the market: --accept-impact signs it')
  warn(rpc ? await compareWithNode(file, own, rpc) : unverified)
  const signer = await readKey(flags['key-file'])
  checkOwner(signer, file.from)
  await confirm('Sign this order?', flags.yes)
  const [domain, order] = [domainOf(file), orderDataOf(file.order)]
  return {
    ...file,
    uid: orderUid(domain, order, file.from),
    signingScheme: 'EIP712',
    signature: signed(signer, orderDigest(domain, order)),
  }
}

const unverified = 'claims   decimals and symbols are the service’s word: see --rpc'

/**
 * Compares the chain, its contracts and the tokens of the service with those of the node.
 * @returns a line for the signer
 * @throws CommandFault
 */
async function compareWithNode(
  { sellToken, buyToken, ...place }: OrderFile,
  own: OwnNetwork | undefined,
  rpc: Rpc,
): Promise<string> {
  const { chainId } = place
  try {
    const chain = parseIndex(await rpc.call('eth_chainId'))
    if (chain !== chainId)
      throw new CommandFault(
        exitCodes.refused,
        `the node is on chain ${chain}, and the order is for ${chainId}`,
      )
    await checkAtNode(place, own, rpc)
    // The chain's coin is no contract.
    const tokens = [sellToken, buyToken].filter(({ address }) => address !== nativeMarker)
    const found = await readTokenMetadata(
      rpc,
      chainId,
      tokens.map(({ address }) => address),
    )
    for (const [index, token] of found.entries()) {
      if (token instanceof Outage) throw token
      const claimed = tokens[index]?.decimals
      if (token.decimals !== claimed)
        throw new CommandFault(
          exitCodes.refused,
          `${token.address} has ${token.decimals ?? 'no'} decimals on the node, and ${claimed ?? 'none'} in the order`,
        )
    }
    return 'node     has this chain id and settlement contract, and these decimals of both tokens'
  } catch (fault) {
    if (fault instanceof Outage || fault instanceof RpcError)
      throw new CommandFault(exitCodes.away, `the node: ${fault.message}`)
    throw fault
  }
}

const signed = ({ privateKey }: TerminalSigner, digest: Hex) =>
  new SigningKey(privateKey).sign(digest).serialized as Hex

function checkOwner({ address }: TerminalSigner, owner: string): void {
  if (address !== owner)
    throw new CommandFault(exitCodes.refused, `the key is that of ${address}, and the order that of ${owner}`)
}

const placeDocument = `mutation Place($input: PlaceOrderInput!) {
  placeOrder(input: $input) { order { uid status } }
}`

/** Places a signed order. @returns its UID @throws CommandFault */
export async function submit(
  file: SignedFile,
  service: Service,
  own: OwnNetwork | undefined,
): Promise<string> {
  checkPlace(file, own)
  const { signature, signingScheme } = file
  const input = { ...termsInput(file), signature, signingScheme }
  try {
    const { placeOrder } = await queryService<{ placeOrder: { order: { uid: string } } }>(
      service,
      placeDocument,
      { input },
    )
    const { uid } = placeOrder.order
    if (uid === file.uid) return uid
    throw new CommandFault(
      exitCodes.refused,
      `the service answers with the UID ${uid}, and the signed order has ${file.uid}`,
    )
  } catch (fault) {
    if (!(fault instanceof CommandFault) || fault.code !== 'InsufficientAllowance') throw fault
    throw new CommandFault(
      fault.exitCode,
      `InsufficientAllowance: ${explained('InsufficientAllowance').meaning}`,
      {
        advice: approval(file, own),
      },
    )
  }
}

/**
 * Says how an owner lets the network's contract take the sell token, which no command here does. No text of a
 * service or a token stands in or before the command.
 */
function approval(file: SignedFile, own: OwnNetwork | undefined): string[] {
  const { order, from, chainId } = file
  const relayer = vaultRelayer(file, own)
  const atoms = BigInt(order.sellAmount) + BigInt(order.feeAmount)
  return [
    `What to do: ${explained('InsufficientAllowance').advice}`,
    `That contract is the vault relayer, ${relayer}; the token is ${order.sellToken}.`,
    `With Foundry: cast send ${order.sellToken} 'approve(address,uint256)' ${relayer} ${atoms} --from ${from} --interactive --rpc-url NODE`,
    `NODE is the URL of a node of the chain ${chainId}. The command replaces the present allowance.`,
  ]
}

const ordersDocument = `query Owner($uid: OrderUid!) {
  order(uid: $uid) { status network { name chainId settlementContract } }
}`
const cancelDocument = `mutation Cancel($input: CancelOrdersInput!) {
  cancelOrders(input: $input) { orders { uid status } }
}`

interface OwnedOrder {
  status: string
  network: Pick<NetworkAnswer, 'name' | 'chainId' | 'settlementContract'>
}

/** Cancels orders of one owner and network with one signature, all or none. @throws CommandFault */
export async function cancel(
  given: readonly string[],
  flags: SigningFlags,
  {
    service,
    print,
    warn,
    findOwnNetwork,
  }: { service: Service; print: Warn; warn: Warn; findOwnNetwork: FindOwnNetwork },
): Promise<void> {
  const uids = given.map(uidOf)
  const orders = await Promise.all(
    uids.map((uid) => findServedOrder<OwnedOrder>(uid, ordersDocument, service)),
  )
  const [first] = orders
  const [owner = '', ...others] = new Set(uids.map(ownerOf))
  if (!first) return
  const { name, chainId, settlementContract } = first.network
  if (others.length > 0 || orders.some(({ network }) => network.name !== name))
    throw new CommandFault(
      exitCodes.refused,
      'the orders are not of one owner and network: cancel them apart',
    )
  const place = { network: name, chainId, settlementContract }
  checkPlace(place, findOwnNetwork(name))
  for (const [index, uid] of uids.entries()) warn(plain(`cancel   ${uid} (${orders[index]?.status})`))
  warn(plain(`network  ${placeLine(place)}`))
  const signer = await readKey(flags['key-file'])
  checkOwner(signer, owner)
  await confirm(
    orders.length === 1 ? 'Cancel this order?' : `Cancel these ${orders.length} orders?`,
    flags.yes,
  )
  const digest = cancellationsDigest(domainOf({ chainId, settlementContract }), uids)
  const { cancelOrders } = await queryService<{
    cancelOrders: { orders: { uid: string; status: string }[] }
  }>(service, cancelDocument, {
    input: { orderUids: uids, network: name, signature: signed(signer, digest), signingScheme: 'EIP712' },
  })
  const statuses = new Map(cancelOrders.orders.map(({ uid, status }) => [uid, status]))
  const missing = uids.filter((uid) => !statuses.has(uid))
  if (missing.length > 0)
    throw new CommandFault(exitCodes.refused, `the service does not answer for ${missing.join(', ')}`)
  for (const uid of uids) print(plain(`${uid} ${statuses.get(uid)}`))
}

/** The owner in a UID, behind the digest of 32 bytes. */
const ownerOf = (uid: OrderUid) => `0x${uid.slice(66, 106)}`

export function uidOf(text: string): OrderUid {
  const uid = toOrderUid(text)
  if (!uid) throw new CommandFault(exitCodes.usage, `${text} is no UID of an order: 0x and 112 hex digits`)
  return uid
}

export async function findServedOrder<Found>(
  uid: OrderUid,
  document: string,
  service: Service,
): Promise<Found> {
  const { order } = await queryService<{ order: Found | null }>(service, document, { uid })
  if (!order) throw new CommandFault(exitCodes.unknown, `there is no order ${uid}`)
  return order
}
