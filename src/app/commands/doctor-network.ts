import { formatEther, Interface } from 'ethers'
import { createRpc, type Rpc, RpcError } from '../../chain/rpc/rpc.ts'
import { toQuantity } from '../../chain/rpc/wire.ts'
import { createSettlementEffects } from '../../chain/settlement/effects.ts'
import { traceTransaction } from '../../chain/settlement/trace.ts'
import type { Address } from '../../domain/evm/address.ts'
import { zeroWord } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { auctionedIn } from '../../mirror/order-book.ts'
import { readMirrored } from '../../mirror/read-order.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import { clockOf, exchangeJson } from '../../outside/http-json.ts'
import { findRowFaults } from '../chain/claim.ts'
import type { NetworkConfig } from '../config.ts'
import { accountOf, accountOfKey } from '../settings/source-settings.ts'
import type { Settings } from '../settings.ts'
import { type Check, failed, faultText, passed, warned } from './doctor-check.ts'

const timeoutMs = 5_000
const greatestGas = '0x1000000'
/** Creation code of an empty contract, `PUSH1 0 PUSH1 0 RETURN`. */
const emptyCode = '0x60006000f3'
const abi = new Interface([
  'function authenticator() view returns (address)',
  'function isSolver(address) view returns (bool)',
])

/** Checks each node of each network, and the accounts that send transactions there. */
export async function checkNetworks(
  networks: readonly NetworkConfig[],
  settings: Settings,
  log: Log,
): Promise<Check[]> {
  const checks = await Promise.all(networks.map((config) => checkNetwork(config, settings, log)))
  return checks.flat()
}

async function checkNetwork(config: NetworkConfig, settings: Settings, log: Log): Promise<Check[]> {
  const urls = typeof config.rpcUrl === 'string' ? [config.rpcUrl] : config.rpcUrl
  const nodes = urls.map((url) => createRpc({ url, timeoutMs, retries: 0, log }))
  const checked = await Promise.all(
    nodes.map((rpc, index) => {
      const about = `${config.network.name}: node${urls.length > 1 ? ` ${index + 1}` : ''}`
      return checkNode(about, rpc, config, settings).catch((fault) => [
        failed(about, `does not answer: ${faultText(fault)}`, 'check rpcUrl, and that the node runs'),
      ])
    }),
  )
  const orderBook = await checkOrderBook(config)
  const [first] = nodes
  const isWell = checked[0]?.every(({ state }) => state !== 'bad')
  const accounts = first && isWell ? await checkAccounts(first, config, settings).catch(() => []) : []
  return [...checked.flat(), ...orderBook, ...accounts]
}

/** The difference of clocks from which orders expire too early or too late for one of the two. */
const maxSkewSeconds = 15

/**
 * Checks that the order book which a network follows answers, that its clock agrees with ours, and that its
 * orders are signed for this network.
 */
async function checkOrderBook({ network, orderBook }: NetworkConfig): Promise<Check[]> {
  if (!orderBook) return []
  const about = `${network.name}: order book`
  const headers = orderBook.apiKey === undefined ? {} : { 'X-API-Key': orderBook.apiKey }
  const peer = { name: about, url: orderBook.url, now: Date.now, headers, timeoutMs, maxBytes: 16_777_216 }
  const get = (path: string) => exchangeJson(peer, { path }, AbortSignal.timeout(timeoutMs))
  const newest = '/api/v2/solver_competition/latest'
  try {
    const { status, body } = await get(newest)
    if (status === 401 || status === 403)
      return [
        orderBook.apiKey === undefined
          ? failed(about, `refuses calls without a key (status ${status})`, 'name apiKey in orderBook')
          : failed(about, `refuses the key (status ${status})`, 'check apiKey of orderBook'),
      ]
    const uids = status === 200 ? auctionedIn(body) : []
    if (!uids || (status !== 200 && status !== 404))
      return [
        failed(about, `answers with status ${status}`, 'check url of orderBook: the base without /api/v1'),
      ]
    const clock = await clockOf(peer, newest, AbortSignal.timeout(timeoutMs))
    const skew = clock === undefined ? 0 : Math.round((clock - Date.now()) / 1_000)
    const [uid] = uids
    const read =
      uid === undefined ? undefined : readMirrored((await get(`/api/v1/orders/${uid}`)).body, network)
    return [
      read && 'fault' in read && read.fault === 'digest'
        ? failed(about, 'has orders of another contract', 'check settlement, PROFILE, and url of orderBook')
        : passed(about, read ? 'answers with orders of this network' : 'answers; it shows no auction now'),
      ...(Math.abs(skew) > maxSkewSeconds
        ? [
            warned(
              about,
              `its clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}`,
              'check the clock of this machine',
            ),
          ]
        : []),
    ]
  } catch (fault) {
    if (fault instanceof Throttled)
      return [warned(about, 'takes no more calls for the moment', 'lower callsPerMinute, or name apiKey')]
    const says = fault instanceof OutsideFault ? fault.reason : faultText(fault)
    return [failed(about, says, 'check url of orderBook, and that it runs')]
  }
}

/** Checks contracts that matter on a followed network only. */
async function checkContracts(
  about: string,
  rpc: Rpc,
  { network, orderBook }: NetworkConfig,
): Promise<Check[]> {
  if (!orderBook) return []
  const contracts = [
    { at: network.vaultRelayer, check: failed },
    ...network.ethFlows.map((at) => ({ at, check: warned })),
    ...(network.conditionalOrders ? [{ at: network.conditionalOrders.composableCow, check: warned }] : []),
  ]
  const checks = await Promise.all(
    contracts.map(async ({ at, check }) => {
      const code = await rpc.call<string>('eth_getCode', [at, 'latest'])
      const advice = 'check vaultRelayer, ethFlows and conditionalOrders'
      return code === '0x' ? [check(about, `has no code at ${at}`, advice)] : []
    }),
  )
  return checks.flat()
}

async function checkNode(
  about: string,
  rpc: Rpc,
  config: NetworkConfig,
  settings: Settings,
): Promise<Check[]> {
  const { network, orderBook } = config
  const [id, block, faults] = await Promise.all([
    rpc.call<string>('eth_chainId'),
    rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', ['latest', false]),
    findRowFaults(rpc, network),
  ])
  if (Number(id) !== network.chainId)
    return [failed(about, `is on chain ${Number(id)}`, `the row of ${network.name} says ${network.chainId}`)]
  if (faults.length > 0) return faults.map(({ says, advice }) => failed(about, says, advice))
  const age = Math.round(Date.now() / 1_000 - Number(block.timestamp))
  const usual = Math.max(60, (10 * network.blockTimeMs) / 1_000)
  const head = `block ${Number(block.number)}, ${age} s old`
  const checks = [
    age > usual
      ? warned(about, head, 'the node is behind its chain, or a clock is wrong')
      : passed(about, head),
    ...(await checkContracts(about, rpc, config)),
  ]
  const hasOutside = solversOf(network, settings).length > 0
  // Their transactions are read only if old settlements are indexed.
  const isFromHead = orderBook && (orderBook.history ?? 'accounts') === 'accounts'
  const more = [...(isFromHead ? [] : [checkTransactions]), ...(hasOutside ? [checkInspection] : [])]
  for (const ask of [checkGas, checkOverrides, checkTraces, ...more]) {
    const check = await ask(about, rpc, network)
    if (check) checks.push(check)
  }
  return checks
}

const burn = { from: '0x0000000000000000000000000000000000000001', gas: greatestGas }

async function checkGas(about: string, rpc: Rpc): Promise<Check | undefined> {
  const isTaken = await answers(rpc, [{ ...burn, data: emptyCode }, 'latest'])
  return isTaken
    ? undefined
    : warned(about, 'refuses calls without `to` or with 16.8 million gas', 'quotes are 503 with this node')
}

async function checkOverrides(about: string, rpc: Rpc): Promise<Check | undefined> {
  const overrides = { [burn.from]: { code: emptyCode } }
  const isTaken = await answers(rpc, [{ ...burn, to: burn.from, data: '0x' }, 'latest', overrides])
  return isTaken
    ? undefined
    : warned(
        about,
        'takes no state overrides',
        'quotes are not verified; orders with hooks or contract signatures are refused',
      )
}

/** Checks whether the node traces, by a transaction that does not exist. */
async function checkTraces(about: string, rpc: Rpc): Promise<Check | undefined> {
  const trace = await traceTransaction(rpc, zeroWord)
  return 'fault' in trace && trace.fault === 'notOffered'
    ? warned(
        about,
        'does not trace (neither debug_traceTransaction nor trace_transaction)',
        'settlements through other contracts have no solver and no auction, and outcomes of hooks are not known',
      )
    : undefined
}

/** Checks how far the node shows effects of settlements: outside solvers may be limited or left out. */
async function checkInspection(about: string, rpc: Rpc, network: Network): Promise<Check | undefined> {
  const sequence = { sent: () => [] }
  const { logs, storage } = await createSettlementEffects({ rpc, network, sequence, timeoutMs }).support()
  if (!logs)
    return warned(
      about,
      'has neither eth_simulateV1 nor debug_traceCall',
      'SOLVERS are left out: their settlements cannot be inspected',
    )
  return storage
    ? undefined
    : warned(
        about,
        'runs no tracers in JavaScript (debug_traceCall)',
        'settlements of SOLVERS with other calls than swaps, transfers and wraps are refused',
      )
}

/** Outside solvers of this network. */
function solversOf(network: Network, { SOLVERS }: Settings) {
  return SOLVERS.filter(({ network: name }) => name === undefined || name === network.name)
}

/** Checks transactions by one of the first indexed block, if it has any. */
async function checkTransactions(
  about: string,
  rpc: Rpc,
  { firstBlock }: NetworkConfig['network'],
): Promise<Check | undefined> {
  const tag = toQuantity(firstBlock)
  const block = await rpc.call<{ transactions: string[] } | null>('eth_getBlockByNumber', [tag, false])
  const hash = block?.transactions[0]
  if (hash === undefined) return undefined
  const knows = (method: string, params: readonly unknown[]) =>
    rpc.call(method, params).then(
      (answer) => answer !== null,
      (fault) => {
        if (fault instanceof RpcError) return false
        throw fault
      },
    )
  if ((await knows('eth_getTransactionReceipt', [hash])) || (await knows('eth_getBlockReceipts', [tag])))
    return undefined
  return warned(
    about,
    'does not know a transaction of the first block',
    'old settlements are stored with what their logs say alone: use a node that keeps old transactions, or add one to rpcUrl',
  )
}

/** @throws Outage */
async function answers(rpc: Rpc, params: readonly unknown[]): Promise<boolean> {
  return rpc.call('eth_call', params).then(
    () => true,
    (fault) => {
      if (fault instanceof RpcError) return false
      throw fault
    },
  )
}

async function checkAccounts(rpc: Rpc, { network }: NetworkConfig, settings: Settings): Promise<Check[]> {
  const builtIn = settings.SOLVER_PRIVATE_KEY && accountOfKey(settings.SOLVER_PRIVATE_KEY)
  const solvers = [
    ...(builtIn ? [{ name: 'solver', account: builtIn }] : []),
    ...solversOf(network, settings).map((source) => ({
      name: `solver ${source.name}`,
      account: accountOf(source),
    })),
  ]
  const call = async (to: string, name: string, values: readonly unknown[] = []) => {
    const data = abi.encodeFunctionData(name, values)
    return abi.decodeFunctionResult(name, await rpc.call<string>('eth_call', [{ to, data }, 'latest']))[0]
  }
  const list = await call(network.settlement, 'authenticator')
  const check = async ({ name, account }: { name: string; account: Address | undefined }) => {
    if (account === undefined) return []
    const about = `${network.name}: ${name} ${account}`
    if (!(await call(list, 'isSolver', [account])))
      return [
        failed(about, 'is not on the allow-list', 'the manager of the settlement contract has to add it'),
      ]
    const balance = BigInt(await rpc.call<string>('eth_getBalance', [account, 'latest']))
    return [
      balance === 0n
        ? failed(about, 'has none of the native coin', 'send it coins: it pays for settlements')
        : passed(about, `is on the allow-list and has ${formatEther(balance)} of the native coin`),
    ]
  }
  return (await Promise.all(solvers.map(check))).flat()
}
