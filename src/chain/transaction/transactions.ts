import { computeAddress, Transaction, Wallet } from 'ethers'
import { type Address, address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccakHex } from '../../domain/evm/keccak.ts'
import type { Log } from '../../domain/log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseIndex, parseObject, parseQuantity, parseResponse, toQuantity } from '../rpc/wire.ts'
import { type Broadcast, createBroadcast, isKnown, type PrivateEndpoint } from './broadcast.ts'
import type { OfferedFees } from './fees.ts'

export interface TransactionRequest {
  nonce: number
  to: Address
  data: Hex
  gasLimit: bigint
  fees: OfferedFees
}

/** A signed transaction. Its hash is known before it is sent. */
export interface SignedTransaction extends TransactionRequest {
  raw: Hex
  hash: Bytes32
}

export interface Receipt {
  hash: Bytes32
  success: boolean
  block: number
  /** The price that it paid for a unit of gas, in wei; undefined if the node does not report it. */
  gasPrice: bigint | undefined
}

export function accountOf(privateKey: Hex): Address {
  return address(computeAddress(privateKey))
}

/** The EIP-1559 transactions of one account on one chain. */
export interface Transactions {
  sender: Address
  /** Returns the nonce after all transactions that the node has as pending. */
  nextNonce(): Promise<number>
  sign(request: TransactionRequest): Promise<SignedTransaction>
  broadcast: Broadcast
  /** Reports whether a node has it, pending or mined; also true if a node does not answer. */
  mayBeKnown(hash: Bytes32): Promise<boolean>
  receipt(hash: Bytes32): Promise<Receipt | undefined>
  headNumber(): Promise<number>
  /** Returns the newest block, and the nonce after the mined transactions. */
  position(): Promise<{ head: number; nonce: number }>
}

/** Parses a transaction of type 2 that `sign` made. */
export function parseSigned(raw: Hex): SignedTransaction {
  const { nonce, to, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(raw)
  if (to === null || maxFeePerGas === null || maxPriorityFeePerGas === null) {
    throw new TypeError('not a transaction of this service')
  }
  return {
    nonce,
    to: address(to),
    data: data as Hex,
    gasLimit,
    fees: { maxFeePerGas, maxPriorityFeePerGas },
    raw,
    hash: keccakHex(hexToBytes(raw)),
  }
}

export function createTransactions(
  rpc: Rpc,
  chainId: number,
  privateKey: Hex,
  log: Log,
  endpoint?: PrivateEndpoint,
): Transactions {
  const wallet = new Wallet(privateKey)
  const sender = address(wallet.address)

  return {
    sender,
    nextNonce: async () =>
      parseIndex(await available(rpc.call('eth_getTransactionCount', [sender, 'pending']))),
    async sign(request) {
      const { nonce, to, data, gasLimit, fees } = request
      const { maxFeePerGas, maxPriorityFeePerGas } = fees
      const raw = (await wallet.signTransaction({
        type: 2,
        chainId,
        nonce,
        to,
        data,
        gasLimit,
        maxFeePerGas,
        maxPriorityFeePerGas,
      })) as Hex
      return { ...request, raw, hash: keccakHex(hexToBytes(raw)) }
    },
    broadcast: createBroadcast(rpc, endpoint, log),
    async mayBeKnown(hash) {
      const answers = await Promise.all(
        [rpc, ...(endpoint ? [endpoint.rpc] : [])].map((at) => isKnown(at, hash)),
      )
      return answers.some((answer) => answer !== false)
    },
    async receipt(hash) {
      const receipt = await available(rpc.call('eth_getTransactionReceipt', [hash]))
      if (receipt === null) return undefined
      const { status, blockNumber, effectiveGasPrice } = parseObject(receipt)
      return {
        hash,
        success: status === toQuantity(1),
        block: parseIndex(blockNumber),
        gasPrice: effectiveGasPrice == null ? undefined : parseQuantity(effectiveGasPrice),
      }
    },
    headNumber: async () => parseIndex(await available(rpc.call('eth_blockNumber'))),
    async position() {
      const [nonce, head] = await available(
        rpc.batch([
          { method: 'eth_getTransactionCount', params: [sender, 'latest'] },
          { method: 'eth_blockNumber' },
        ]),
      )
      return { head: parseIndex(parseResponse(head)), nonce: parseIndex(parseResponse(nonce)) }
    },
  }
}

/** The nonces of one account, also while the node has forgotten transactions that are still to be mined. */
interface Nonces {
  /** Returns the lowest nonce that neither the node nor a claim has. */
  next(): Promise<number>
  /** Reserves a nonce. @returns a function that ends this claim */
  claim(nonce: number): () => void
}

export function createNonces({ nextNonce }: Pick<Transactions, 'nextNonce'>): Nonces {
  const claims = new Map<symbol, number>()
  return {
    async next() {
      let nonce = await nextNonce()
      const claimed = new Set(claims.values())
      while (claimed.has(nonce)) nonce++
      return nonce
    },
    claim(nonce) {
      const key = Symbol('claim')
      claims.set(key, nonce)
      return () => void claims.delete(key)
    },
  }
}
