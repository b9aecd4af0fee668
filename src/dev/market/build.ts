import { readFileSync } from 'node:fs'
import { AbiCoder, concat, Interface, MaxUint256, parseUnits, toQuantity } from 'ethers'
import { createRpc, type Rpc } from '../../chain/rpc/rpc.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import { ethFlowOf, type Network } from '../../domain/network/network.ts'
import { priceOracles, programmaticContracts } from '../chain/programmatic-contracts.ts'
import {
  authenticatorAbi,
  authenticatorAddress,
  settlementDeployments,
  vaultRelayerAddress,
} from '../chain/settlement-contracts.ts'
import type { Artifact } from '../contracts/artifact.ts'
import {
  type Account,
  deriveAccounts,
  describeMarket,
  type Market,
  type TokenSymbol,
  tokenSymbols,
} from './market.ts'

/** Creates a contract if `to` is missing. */
interface StagedTransaction {
  to?: Address
  data: string
  value?: bigint
}

/** Collects transactions of unlocked accounts and mines them together, in order for each sender. */
export interface Stage {
  send(from: { address: Address }, transaction: StagedTransaction): void
  /** @throws when a transaction is not mined or fails */
  mine(): Promise<void>
}

/** Enough for the largest contract. The gas limits of all transactions must fit into one block. */
const creationGas = 5_000_000n
const callGas = 2_000_000n
const deploymentSize = 5_000

/** @param rpc of a chain whose mining is off, and to which no other client sends transactions */
export function createStage(rpc: Rpc): Stage {
  const nonces = new Map<Address, number>()
  let pending: Record<string, string>[] = []

  return {
    send({ address: from }, { to, data, value = 0n }) {
      const nonce = nonces.get(from) ?? 0
      nonces.set(from, nonce + 1)
      const gas = data.length > deploymentSize ? creationGas : callGas
      const numbers = { value: toQuantity(value), nonce: toQuantity(nonce), gas: toQuantity(gas) }
      pending.push({ from, ...(to && { to }), data, ...numbers })
    },
    async mine() {
      const calls = pending.map((transaction) => ({ method: 'eth_sendTransaction', params: [transaction] }))
      pending = []
      const hashes = await batchValues(rpc, calls)
      await rpc.call('evm_mine')
      const receiptCalls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
      const receipts = await batchValues(rpc, receiptCalls)
      const failed = receipts.findIndex((receipt) => !isSuccess(receipt))
      if (failed >= 0)
        throw new Error(`transaction ${failed} of ${receipts.length} for the local market failed`)
    },
  }
}

async function batchValues(rpc: Rpc, calls: { method: string; params: unknown[] }[]): Promise<unknown[]> {
  const answers = await rpc.batch(calls)
  return answers.map((answer) => {
    if ('error' in answer) throw answer.error
    return answer.value
  })
}

function isSuccess(receipt: unknown): boolean {
  return typeof receipt === 'object' && receipt !== null && 'status' in receipt && receipt.status === '0x1'
}

const ether = (amount: string): bigint => parseUnits(amount, 18)

const nativeBalance = ether('10000')

/** Balance of each trader, in whole tokens. */
const holdings: Record<TokenSymbol, string> = {
  WETH: '2000',
  USDC: '1000000',
  DAI: '1000000',
  COW: '1000000',
  FEE: '10000',
}

/**
 * Reserves in whole tokens: 1 WETH = 3000 USDC = 3000 DAI = 10000 COW, and 1 WETH moves a price by 0.02 %.
 */
const pools: [TokenSymbol, string, TokenSymbol, string][] = [
  ['WETH', '10000', 'USDC', '30000000'],
  ['WETH', '10000', 'DAI', '30000000'],
  ['USDC', '30000000', 'DAI', '30000000'],
  ['WETH', '10000', 'COW', '100000000'],
]

const erc20 = new Interface([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
])
const wrapped = new Interface(['function deposit() payable'])
const factoryAbi = new Interface([
  'function createPair(address, address)',
  'function getPair(address, address) view returns (address)',
])
const oracleAbi = new Interface(['function set(int256 answer, uint256 updatedAt)'])

/** The oracles' prices, with 8 decimals: those of the pools. */
const dollars = { WETH: 3000n * 10n ** 8n, USDC: 10n ** 8n }

const poolAbi = new Interface(['function mint(address)'])

interface MarketBuild {
  rpc: Rpc
  stage: Stage
  market: Market
  deployer: Account
}

/**
 * Fills a new chain whose mining is off: contracts, pools, traders, a solver. The order of the deployer's
 * first transactions decides the addresses, which `describeMarket` derives too.
 */
export async function buildMarket(rpcUrl: string, log: Log): Promise<Market> {
  const rpc = createRpc({ url: rpcUrl, log, timeoutMs: 30_000 })
  const market = describeMarket()
  const build: MarketBuild = { rpc, market, deployer: deriveAccounts().deployer, stage: createStage(rpc) }
  await deployContracts(build)
  await allowSolver(build)
  await allowWrapped(build)
  await fillPools(build)
  await fundTraders(build)
  return market
}

/** Checks whether the contracts on the chain are those of this version of the program. */
export async function isMarketCurrent(rpcUrl: string, log: Log): Promise<boolean> {
  const { network } = describeMarket()
  const rpc = createRpc({ url: rpcUrl, log })
  const contracts: PlacedContract[] = [
    ...placedContracts(network),
    { name: 'PoolFactory', at: network.poolFactory },
    ...(network.balanceGuard ? [{ name: 'BalanceGuard', at: network.balanceGuard }] : []),
  ]
  const current = await codesOf(rpc, contracts)
  const read = contracts.map(({ at }) => ({ method: 'eth_getCode', params: [at, 'latest'] }))
  const found = await batchValues(rpc, read)
  return found.every((code, index) => code === current[index])
}

interface PlacedContract {
  name: string
  at: Address
  /** The constructor's, of a contract whose code has immutable values. */
  addresses?: Address[]
}

/** Contracts whose code is set, at their addresses of real networks. */
function placedContracts({ settlement, wrappedNative, hooksTrampoline }: Network): PlacedContract[] {
  return [
    { name: 'WrappedNative', at: wrappedNative },
    { name: 'HooksTrampoline', at: hooksTrampoline, addresses: [settlement] },
    { name: 'EthFlow', at: ethFlowOf.production, addresses: [settlement, wrappedNative] },
    ...Object.entries(programmaticContracts).map(([name, at]) => ({
      name,
      at,
      addresses: name === 'ComposableCow' ? [settlement] : [],
    })),
    ...Object.values(priceOracles).map((at) => ({ name: 'PriceOracle', at })),
  ]
}

/** The code of each contract, as its constructor returns it. */
async function codesOf(rpc: Rpc, contracts: readonly PlacedContract[]): Promise<unknown[]> {
  const calls = contracts.map(({ name, addresses = [] }) => {
    const values = AbiCoder.defaultAbiCoder().encode(
      addresses.map(() => 'address'),
      addresses,
    )
    const data = concat([readArtifact(name).bytecode, values])
    return { method: 'eth_call', params: [{ data }, 'latest'] }
  })
  return batchValues(rpc, calls)
}

async function deployContracts({ rpc, stage, market, deployer }: MarketBuild): Promise<void> {
  await rpc.call('anvil_setBalance', [deployer.address, toQuantity(ether('1000000'))])
  const placed = placedContracts(market.network)
  const codes = await codesOf(rpc, placed)
  await batchValues(
    rpc,
    placed.map(({ at }, index) => ({ method: 'anvil_setCode', params: [at, codes[index]] })),
  )
  const token = (contract: 'TestToken' | 'FeeToken', name: string, symbol: TokenSymbol): string => {
    const values = AbiCoder.defaultAbiCoder().encode(
      ['string', 'string', 'uint8'],
      [name, symbol, market.tokens[symbol].decimals],
    )
    return concat([readArtifact(contract).bytecode, values])
  }
  stage.send(deployer, { data: token('TestToken', 'USD Coin', 'USDC') })
  stage.send(deployer, { data: token('TestToken', 'Dai Stablecoin', 'DAI') })
  stage.send(deployer, { data: token('TestToken', 'CoW Protocol Token', 'COW') })
  stage.send(deployer, { data: token('FeeToken', 'Fee on Transfer', 'FEE') })
  stage.send(deployer, { data: readArtifact('PoolFactory').bytecode })
  stage.send(deployer, { data: readArtifact('BalanceGuard').bytecode })
  for (const deployment of settlementDeployments()) stage.send(deployer, deployment)
  for (const symbol of ['WETH', 'USDC'] as const) {
    const data = oracleAbi.encodeFunctionData('set', [dollars[symbol], 0])
    stage.send(deployer, { to: priceOracles[symbol], data })
  }
  await stage.mine()
}

async function allowSolver({ rpc, stage, market }: MarketBuild): Promise<void> {
  const call = { to: authenticatorAddress, data: authenticatorAbi.encodeFunctionData('manager') }
  const manager = address(
    String(authenticatorAbi.decodeFunctionResult('manager', await rpc.call('eth_call', [call]))[0]),
  )
  const data = authenticatorAbi.encodeFunctionData('addSolver', [market.solver.address])
  await sendAs(manager, { to: authenticatorAddress, data }, { rpc, stage })
}

/** Approves, as the contract's constructor does on real networks. */
async function allowWrapped({ rpc, stage, market }: MarketBuild): Promise<void> {
  const data = erc20.encodeFunctionData('approve', [vaultRelayerAddress, MaxUint256])
  await sendAs(ethFlowOf.production, { to: market.network.wrappedNative, data }, { rpc, stage })
  await rpc.call('anvil_setBalance', [ethFlowOf.production, '0x0'])
}

/** Sends a transaction of an account without a key. */
async function sendAs(
  account: Address,
  transaction: StagedTransaction,
  { rpc, stage }: Pick<MarketBuild, 'rpc' | 'stage'>,
): Promise<void> {
  await rpc.call('anvil_setBalance', [account, toQuantity(ether('1'))])
  await rpc.call('anvil_impersonateAccount', [account])
  stage.send({ address: account }, transaction)
  await stage.mine()
  await rpc.call('anvil_stopImpersonatingAccount', [account])
}

async function fillPools(build: MarketBuild): Promise<void> {
  const { rpc, stage, deployer } = build
  const { tokens, network } = build.market
  for (const [a, , b] of pools) {
    const data = factoryAbi.encodeFunctionData('createPair', [tokens[a].address, tokens[b].address])
    stage.send(deployer, { to: network.poolFactory, data })
  }
  const deposit = { to: network.wrappedNative, data: wrapped.encodeFunctionData('deposit') }
  stage.send(deployer, { ...deposit, value: ether('100000') })
  await stage.mine()

  for (const [a, amountA, b, amountB] of pools) {
    const data = factoryAbi.encodeFunctionData('getPair', [tokens[a].address, tokens[b].address])
    const answer = await rpc.call<string>('eth_call', [{ to: network.poolFactory, data }])
    const pool = address(String(factoryAbi.decodeFunctionResult('getPair', answer)[0]))
    sendTokens(build, a, pool, amountA)
    sendTokens(build, b, pool, amountB)
    stage.send(deployer, { to: pool, data: poolAbi.encodeFunctionData('mint', [deployer.address]) })
  }
  await stage.mine()
}

async function fundTraders(build: MarketBuild): Promise<void> {
  const { rpc, stage } = build
  const { accounts, tokens, solver } = build.market
  for (const account of accounts) {
    for (const symbol of tokenSymbols) {
      sendTokens(build, symbol, account.address, holdings[symbol])
      const data = erc20.encodeFunctionData('approve', [vaultRelayerAddress, MaxUint256])
      stage.send(account, { to: tokens[symbol].address, data })
    }
  }
  await stage.mine()
  for (const account of [...accounts, solver]) {
    await rpc.call('anvil_setBalance', [account.address, toQuantity(nativeBalance)])
  }
}

/** Transfers the wrapped native token, whose supply is deposited; mints all other tokens. */
function sendTokens(
  { stage, market, deployer }: MarketBuild,
  symbol: TokenSymbol,
  to: Address,
  amount: string,
): void {
  const { address: token, decimals } = market.tokens[symbol]
  const verb = symbol === 'WETH' ? 'transfer' : 'mint'
  stage.send(deployer, {
    to: token,
    data: erc20.encodeFunctionData(verb, [to, parseUnits(amount, decimals)]),
  })
}

function readArtifact(name: string): Artifact {
  return JSON.parse(readFileSync(new URL(`../contracts/artifacts/${name}.json`, import.meta.url), 'utf8'))
}
