import { Interface } from 'ethers'
import { createRpc, type Rpc, RpcError } from '../../../chain/rpc/rpc.ts'
import { parseIndex, parseObject, toQuantity } from '../../../chain/rpc/wire.ts'
import { settlementAbi } from '../../../chain/settlement/call.ts'
import { presigned } from '../../../chain/trade/call.ts'
import { maxUint256 } from '../../../domain/amount.ts'
import { Outage } from '../../../domain/errors/error.ts'
import type { Address } from '../../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../domain/evm/hex.ts'
import type { Log } from '../../../domain/log.ts'
import type { OrderUid } from '../../../domain/order/order.ts'
import { acceptedSignature, recoverSigner } from '../../../domain/signing/signature.ts'
import { domainSeparator, orderDigest, orderUid } from '../../../domain/signing/signing.ts'
import { plain } from '../../../domain/text/readable.ts'
import { type Check, failed, passed } from '../doctor-check.ts'
import type { Output } from '../explain.ts'
import { jsonLine } from '../explain.ts'
import { amount } from '../order-text.ts'
import { CommandFault, exitCodes, queryService, type Service, type TokenAnswer } from '../service.ts'
import { checkPlace, type FindOwnNetwork } from './contracts.ts'
import { domainOf, orderDataOf, type SpelledTerms } from './order-file.ts'
import type { NetworkAnswer } from './quote.ts'
import { findServedOrder, uidOf } from './sign.ts'

interface VerifiedOrder extends Omit<SpelledTerms, 'sellToken' | 'buyToken' | 'appData'> {
  status: string
  owner: Address
  onchainUser: Address | null
  appDataHash: Bytes32
  signature: Hex
  signingScheme: 'EIP712' | 'ETHSIGN' | 'EIP1271' | 'PRESIGN'
  executedSellAmountBeforeFees: string
  executedBuyAmount: string
  sellToken: TokenAnswer
  buyToken: TokenAnswer
  network: Pick<NetworkAnswer, 'name' | 'chainId' | 'settlementContract'>
}

const token = '{ address symbol decimals }'
const document = `query Verify($uid: OrderUid!) {
  order(uid: $uid) {
    status owner onchainUser appDataHash signature signingScheme
    receiver sellAmount buyAmount validTo feeAmount kind partiallyFillable sellTokenBalance buyTokenBalance
    executedSellAmountBeforeFees executedBuyAmount
    sellToken ${token} buyToken ${token} network { name chainId settlementContract }
  }
}`

const networkDocument = 'query NetworkOf($uid: OrderUid!) { order(uid: $uid) { network { name } } }'
const indexDocument = 'query Index($network: NetworkName!) { meta(network: $network) { block { number } } }'
interface IndexAnswer {
  meta: { block: { number: number } | null }
}
/** The number of blocks whose state every node keeps. */
const keptBlocks = 128

interface VerifyOptions {
  service: Service
  output: Output
  /** The node of a network. */
  nodeOf(network: string): { rpcUrl: string } | undefined
  findOwnNetwork: FindOwnNetwork
  log: Log
}

/**
 * Compares what the service says of an order with its UID, its signature, and the settlement contract.
 * @throws CommandFault if something does not hold
 */
export async function verify(given: string, options: VerifyOptions): Promise<void> {
  const { service, output, nodeOf, log, findOwnNetwork } = options
  const uid = uidOf(given)
  const { name: network } = (
    await findServedOrder<Pick<VerifiedOrder, 'network'>>(uid, networkDocument, service)
  ).network
  // Read first: the order is then of this block or a later one.
  const { meta } = await queryService<IndexAnswer>(service, indexDocument, { network })
  const order = await findServedOrder<VerifiedOrder>(uid, document, service)
  const node = nodeOf(order.network.name)
  if (!node)
    throw new CommandFault(exitCodes.usage, `no node of ${order.network.name} is known: name one with --rpc`)
  const rpc = createRpc({ url: node.rpcUrl, timeoutMs: service.timeoutMs, retries: 1, log })
  const { name, chainId, settlementContract } = order.network
  const own = findOwnNetwork(name)
  checkPlace({ network: name, chainId, settlementContract }, own)
  const settlement = own?.settlement ?? settlementContract
  try {
    const head = parseIndex(await rpc.call('eth_blockNumber'))
    const indexed = meta.block && meta.block.number < head && meta.block.number
    const behind = indexed && head - indexed < keptBlocks ? indexed : undefined
    const checks = [
      checkDigest(uid, order, settlement),
      ...(await checkDomain(order, settlement, rpc)),
      await atIndex((block) => checkSignature(uid, order, settlement, { rpc, block }), behind),
      await atIndex((block) => checkStatus(uid, order, settlement, { rpc, block }), behind),
    ]
    show(uid, checks, output)
  } catch (fault) {
    if (fault instanceof Outage || fault instanceof RpcError)
      throw new CommandFault(exitCodes.away, `the node of ${order.network.name}: ${fault.message}`)
    throw fault
  }
}

/**
 * Checks at the newest block, and where that fails at the last block in the service's index: what follows the
 * service cannot know yet.
 */
async function atIndex(run: (block: string) => Promise<Check>, behind: number | undefined): Promise<Check> {
  const newest = await run('latest')
  if (newest.state === 'good' || behind === undefined) return newest
  const earlier = await run(toQuantity(behind))
  if (earlier.state !== 'good') return newest
  return passed(newest.about, `${newest.says}; the service’s index is not there yet, but at block ${behind}`)
}

function show(uid: OrderUid, checks: readonly Check[], { print, json }: Output): void {
  if (json) print(jsonLine({ uid, checks }))
  else
    for (const { about, state, says } of checks)
      print(plain(`${state === 'good' ? 'ok  ' : 'FAIL'}  ${about.padEnd(9)}  ${says}`))
  const count = checks.filter(({ state }) => state === 'bad').length
  if (count > 0) throw new CommandFault(exitCodes.refused, `${count} of ${checks.length} checks failed`)
}

const advice = 'Do not rely on what this service says of the order.'
const check = (about: string, holds: boolean, says: string, else_: string): Check =>
  holds ? passed(about, says) : failed(about, else_, advice)

const dataOf = ({ sellToken, buyToken, appDataHash, ...terms }: VerifiedOrder) =>
  orderDataOf({ ...terms, sellToken: sellToken.address, buyToken: buyToken.address, appData: appDataHash })

function digestOf(order: VerifiedOrder, settlement: Address): Bytes32 {
  return orderDigest({ chainId: order.network.chainId, settlement }, dataOf(order))
}

function checkDigest(uid: OrderUid, order: VerifiedOrder, settlement: Address): Check {
  const domain = { chainId: order.network.chainId, settlement }
  const computed = orderUid(domain, dataOf(order), order.owner)
  return check(
    'digest',
    computed === uid,
    `the UID is that of these terms and of ${order.owner}: ${digestOf(order, settlement)}`,
    `the terms and the owner have the UID ${computed}`,
  )
}

async function checkDomain(order: VerifiedOrder, settlement: Address, rpc: Rpc): Promise<Check[]> {
  const { chainId } = order.network
  const [chain, separator] = await Promise.all([
    rpc.call('eth_chainId').then(parseIndex),
    read({ rpc, block: 'latest' }, settlement, 'domainSeparator', []),
  ])
  const expected = domainSeparator(domainOf({ chainId, settlementContract: settlement }))
  return [
    check(
      'chain',
      chain === chainId,
      `the node is on chain ${chain}`,
      `the node is on chain ${chain}, not ${chainId}`,
    ),
    check(
      'domain',
      separator === expected,
      `${settlement} has the domain of the signature`,
      `${settlement} has the domain ${separator}, not ${expected}`,
    ),
  ]
}

async function checkSignature(
  uid: OrderUid,
  order: VerifiedOrder,
  settlement: Address,
  chain: ChainAt,
): Promise<Check> {
  const { signingScheme, signature, owner } = order
  const digest = digestOf(order, settlement)
  if (signingScheme === 'EIP712' || signingScheme === 'ETHSIGN') {
    const recovered = recoverSigner(signingScheme === 'EIP712' ? 'eip712' : 'ethsign', digest, signature)
    const signer = 'signer' in recovered ? recovered.signer : recovered.fault
    return check(
      'signature',
      signer === owner,
      `${signingScheme} by ${owner}`,
      `${signingScheme} by ${signer}`,
    )
  }
  if (signingScheme === 'PRESIGN') {
    const isSigned = (await read(chain, settlement, 'preSignature', [uid])) === presigned
    const isOpen = order.status !== 'OPEN' || isSigned
    const says = `PRESIGN: ${isSigned ? '' : 'not '}signed on chain`
    return check('signature', isOpen && (order.status !== 'PRESIGNATURE_PENDING' || !isSigned), says, says)
  }
  // A contract may refuse what it has accepted before: its answer counts while the order can be filled.
  if (order.status !== 'OPEN') return passed('signature', 'EIP1271: not evaluated, the order has ended')
  const data = walletAbi.encodeFunctionData('isValidSignature', [digest, signature])
  const answer = await callAt(chain, owner, data).catch((fault) => {
    if (fault instanceof RpcError) return 'a revert'
    throw fault
  })
  return check(
    'signature',
    answer.startsWith(acceptedSignature),
    `EIP1271: ${owner} accepts it`,
    `EIP1271: ${owner} answers ${answer}`,
  )
}

const walletAbi = new Interface([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])

async function checkStatus(
  uid: OrderUid,
  order: VerifiedOrder,
  settlement: Address,
  chain: ChainAt,
): Promise<Check> {
  const { status, kind, validTo, onchainUser, sellToken, buyToken } = order
  const [filled, block] = await Promise.all([
    read(chain, settlement, 'filledAmount', [uid]).then(BigInt),
    chain.rpc.call('eth_getBlockByNumber', [chain.block, false]).then(parseObject),
  ])
  const [fixed, executed, unit] =
    kind === 'SELL'
      ? [order.sellAmount, order.executedSellAmountBeforeFees, sellToken]
      : [order.buyAmount, order.executedBuyAmount, buyToken]
  const says = (text: string) => `${status}: ${text}`
  if (filled === maxUint256)
    return check(
      'status',
      status === 'CANCELLED' || status === 'FULFILLED',
      says('the contract has invalidated it'),
      says('but the contract has invalidated it'),
    )
  const onChain = `the contract has filled ${amount(filled, unit)} of ${amount(fixed, unit)}`
  if (filled !== BigInt(executed))
    return failed('status', says(`${onChain}, the service ${amount(executed, unit)}`), advice)
  const isFilled = filled === BigInt(fixed)
  if (isFilled !== (status === 'FULFILLED')) return failed('status', says(`but ${onChain}`), advice)
  // Orders that a contract places for a user can have another expiry than the signed one.
  const isPastHere = status === 'EXPIRED' && Date.now() / 1_000 > validTo
  const isPast = isPastHere || parseIndex(block.timestamp) > validTo
  if (!isFilled && onchainUser === null && status !== 'CANCELLED' && isPast !== (status === 'EXPIRED'))
    return failed('status', says(`but its time has ${isPast ? '' : 'not '}passed on chain`), advice)
  const isOffChain = status === 'CANCELLED' && !isPast
  return passed('status', says(`${onChain}${isOffChain ? '; the cancellation is not on chain' : ''}`))
}

type ViewName = 'domainSeparator' | 'filledAmount' | 'preSignature'

/** The chain as of a block. */
interface ChainAt {
  rpc: Rpc
  block: string
}

const callAt = ({ rpc, block }: ChainAt, to: Address, data: string) =>
  rpc.call<string>('eth_call', [{ to, data }, block])

/** A word of the settlement contract. */
async function read(
  chain: ChainAt,
  to: Address,
  name: ViewName,
  values: readonly unknown[],
): Promise<string> {
  const data = settlementAbi.encodeFunctionData(name, values)
  const answer = await callAt(chain, to, data)
  if (/^0x[0-9a-f]{64}$/.test(answer)) return answer
  throw new CommandFault(exitCodes.refused, `${to} is no settlement contract on this chain`)
}
