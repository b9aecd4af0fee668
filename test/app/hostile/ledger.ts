import { createRequire } from 'node:module'
import { Interface, type LogDescription } from 'ethers'
import type { TestChain } from '../../setup/chain.ts'

// What the chain holds, read from its node without code of the program.

const require = createRequire(import.meta.url)
const settlementAbi = new Interface(
  require('@cowprotocol/contracts/deployments/mainnet/GPv2Settlement.json').abi,
)
const otherAbi = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Withdrawal(address indexed to, uint256 value)',
])

export interface ChainTrade {
  uid: string
  owner: string
  sellToken: string
  buyToken: string
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
  txHash: string
  blockNumber: number
  logIndex: number
  /** Uniform prices of the settlement: sold · sell = bought · buy. */
  sellPrice: bigint
  buyPrice: bigint
}

interface Transfer {
  token: string
  from: string
  to: string
  value: bigint
  txHash: string
}

export interface Ledger {
  trades: ChainTrade[]
  transfers: Transfer[]
  /** Unwrapped native coins of the settlement contract. */
  unwrapped: bigint
  invalidated: Set<string>
  presigned: Set<string>
  settlements: Set<string>
}

interface RawLog {
  address: string
  topics: string[]
  data: string
  transactionHash: string
  blockNumber: string
  logIndex: string
}

/** Everything since a block, in the order of the chain. */
export async function readLedger(
  { rpc, market }: Pick<TestChain, 'rpc' | 'market'>,
  fromBlock: number,
): Promise<Ledger> {
  const filter = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' }
  const logs = await rpc.call<RawLog[]>('eth_getLogs', [filter])
  const { settlement } = market.network
  const ledger: Ledger = {
    trades: [],
    transfers: [],
    unwrapped: 0n,
    invalidated: new Set(),
    presigned: new Set(),
    settlements: new Set(),
  }
  for (const log of logs) {
    const event = (log.address === settlement ? settlementAbi : otherAbi).parseLog(log)
    if (event) note(ledger, event, log, settlement)
  }
  await addUniformPrices({ rpc }, ledger)
  return ledger
}

function note(ledger: Ledger, { name, args }: LogDescription, log: RawLog, settlement: string): void {
  const txHash = log.transactionHash
  if (name === 'Trade') {
    const { sellAmount, buyAmount, feeAmount } = args
    ledger.trades.push({
      uid: args.orderUid,
      owner: args.owner.toLowerCase(),
      sellToken: args.sellToken.toLowerCase(),
      buyToken: args.buyToken.toLowerCase(),
      sellAmount,
      buyAmount,
      feeAmount,
      txHash,
      blockNumber: Number(log.blockNumber),
      logIndex: Number(log.logIndex),
      sellPrice: 0n,
      buyPrice: 0n,
    })
  }
  if (name === 'Settlement') ledger.settlements.add(txHash)
  if (name === 'OrderInvalidated') ledger.invalidated.add(args.orderUid)
  if (name === 'PreSignature') ledger.presigned[args.signed ? 'add' : 'delete'](args.orderUid)
  if (name === 'Withdrawal' && args.to.toLowerCase() === settlement) ledger.unwrapped += args.value
  if (name === 'Transfer') {
    const [from, to] = [args.from.toLowerCase(), args.to.toLowerCase()]
    ledger.transfers.push({ token: log.address, from, to, value: args.value, txHash })
  }
}

/** From the calldata: the first price of each token is its uniform one. */
async function addUniformPrices({ rpc }: Pick<TestChain, 'rpc'>, { trades }: Ledger): Promise<void> {
  for (const txHash of new Set(trades.map((trade) => trade.txHash))) {
    const { input } = await rpc.call<{ input: string }>('eth_getTransactionByHash', [txHash])
    const [tokens, prices] = settlementAbi.decodeFunctionData('settle', input)
    const first = new Map<string, bigint>()
    for (const [index, token] of tokens.entries()) {
      if (!first.has(token.toLowerCase())) first.set(token.toLowerCase(), prices[index])
    }
    for (const trade of trades.filter((each) => each.txHash === txHash)) {
      trade.sellPrice = first.get(trade.sellToken) ?? 0n
      trade.buyPrice = first.get(trade.buyToken) ?? 0n
    }
  }
}
