import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import secp256k1 from 'secp256k1'
import type { Address } from '../../src/domain/evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccak, keccakText } from '../../src/domain/evm/keccak.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { createRandom } from '../database/subjects.ts'
import { cache } from '../options.ts'

const address = (digits: string): Address => `0x${digits.repeat(20)}` as Hex

export const network = {
  name: 'backfill',
  chainId: 900_001,
  settlement: address('51'),
  vaultRelayer: address('52'),
  wrappedNative: address('53'),
  ethFlows: [],
  firstBlock: 1,
  finalityBlocks: 64,
  blockTimeMs: 12_000,
}

/** The shape of the chain: one settlement in each block, and empty blocks after the last. */
export const tradesPerBlock = 2
const emptyBlocks = 128
const firstTime = 1_700_000_000
const ordersPerOwner = 20
const documents = 100

export const solver = address('54')
export const tradeBlocks = (orders: number) => Math.ceil(orders / tradesPerBlock)
export const headOf = (orders: number) => tradeBlocks(orders) + emptyBlocks
export const timeOf = (block: number) => firstTime + (block * network.blockTimeMs) / 1_000
export const blockOf = (index: number) => 1 + Math.floor(index / tradesPerBlock)
export const hashOf = (text: string): Bytes32 => bytesToHex(createHash('sha256').update(text).digest())

/** An order as order books write it. Each is filled by one trade. */
export interface BookOrder {
  uid: `0x${string}`
  owner: Address
  sellToken: Address
  buyToken: Address
  executedSellAmount: string
  executedBuyAmount: string
  appData: Bytes32
  fullAppData: string
}

/** Writes signed orders of many owners once, and returns the file: one order a line, in order of trade. */
export async function prepareOrders(count: number): Promise<string> {
  const file = path.join(cache, 'backfill', `orders-${count}.jsonl`)
  if (existsSync(file)) return file
  mkdirSync(path.dirname(file), { recursive: true })
  const random = createRandom(34)
  const whole = (below: number) => Math.floor(random() * below)
  const output = createWriteStream(`${file}.part`)
  for (let index = 0; index < count; index++) {
    const owner = `owner ${whole(Math.ceil(count / ordersPerOwner))}`
    const line = `${JSON.stringify(signedOrder(owner, index, whole))}\n`
    if (!output.write(line)) await new Promise<void>((resolve) => output.once('drain', resolve))
  }
  output.end()
  await finished(output)
  renameSync(`${file}.part`, file)
  return file
}

export function readOrders(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n')
}

function signedOrder(name: string, index: number, whole: (below: number) => number): BookOrder {
  const key = keyOf(name)
  const owner = addressOf(key)
  const time = timeOf(blockOf(index))
  const sell = whole(20)
  const document = `{"appCode":"bench ${whole(documents)}","metadata":{},"version":"1.1.0"}`
  const data: OrderData = {
    sellToken: address((0x60 + sell).toString(16)),
    buyToken: address((0x60 + ((sell + 1 + whole(19)) % 20)).toString(16)),
    receiver: owner,
    sellAmount: BigInt(1 + whole(2 ** 40)) * 10n ** 9n,
    buyAmount: BigInt(1 + whole(2 ** 40)) * 10n ** 6n,
    validTo: time + 1_800,
    appData: keccakText(document),
    feeAmount: 0n,
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  return {
    ...bookOrder(network, data, { key, document, createdAt: new Date((time - 60) * 1_000) }),
    ...{ status: 'fulfilled', executedSellAmount: String(data.sellAmount) },
    executedSellAmountBeforeFees: String(data.sellAmount),
    executedBuyAmount: String(data.buyAmount + data.buyAmount / 100n),
    executedFee: String(1 + whole(1_000_000)),
  } as BookOrder
}

export const keyOf = (name: string): Uint8Array => createHash('sha256').update(name).digest()

export const addressOf = (key: Uint8Array): Address =>
  bytesToHex(keccak(secp256k1.publicKeyCreate(key, false).subarray(1)).subarray(12))

interface Signed {
  key: Uint8Array
  document: string
  createdAt: Date
}

/** Returns an open order as order books write it, signed by its owner's key. */
export function bookOrder(
  network: Pick<Network, 'chainId' | 'settlement'>,
  data: OrderData,
  { key, document, createdAt }: Signed,
): Omit<BookOrder, 'executedSellAmount' | 'executedBuyAmount'> {
  const owner = addressOf(key)
  const uid = orderUid(network, data, owner)
  const { signature, recid } = secp256k1.ecdsaSign(hexToBytes(`0x${uid.slice(2, 66)}`), key)
  return {
    ...data,
    ...{ sellAmount: String(data.sellAmount), buyAmount: String(data.buyAmount), feeAmount: '0' },
    ...{ uid, owner, signingScheme: 'eip712' },
    ...{ signature: `${bytesToHex(signature)}${(27 + recid).toString(16)}`, fullAppData: document },
    ...{ creationDate: createdAt.toISOString(), class: 'limit', status: 'open' },
    ...{ availableBalance: null, invalidated: false, isLiquidityOrder: false },
    ...{ settlementContract: network.settlement, interactions: { pre: [], post: [] } },
    ...{ executedFeeAmount: '0', executedFee: '0', executedFeeToken: data.sellToken },
  }
}
