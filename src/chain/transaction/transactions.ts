import { Transaction, Wallet } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccakHex } from '../../domain/evm/keccak.ts'
import type { Log } from '../../domain/log.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { available, parseIndex, parseObject, parseResponse, toQuantity } from '../rpc/wire.ts'
import type { OfferedFees } from './fees.ts'

export interface TransactionRequest {
  nonce: number
  to: Address
  data: Hex
  gasLimit: bigint
  fees: OfferedFees
}

/** The hash is known before the transaction is sent. */
export interface SignedTransaction extends TransactionRequest {
  raw: Hex
  hash: Bytes32
}

export interface Receipt {
  hash: Bytes32
  success: boolean
  block: number
}

/** One account's EIP-1559 transactions on one chain. */
export interface Transactions {
  sender: Address
  /** The nonce after all transactions that the node has as pending. */
  nextNonce(): Promise<number>
  sign(request: TransactionRequest): Promise<SignedTransaction>
  /** @returns why the node refused it; `undefined` when the node accepted it, already has it, or may have it. */
  broadcast(transaction: SignedTransaction): Promise<string | undefined>
  /** Whether the node has it, pending or mined; true also when the node does not answer. */
  mayBeKnown(hash: Bytes32): Promise<boolean>
  receipt(hash: Bytes32): Promise<Receipt | undefined>
  headNumber(): Promise<number>
  /** The newest block, and the nonce after the mined transactions. */
  position(): Promise<{ head: number; nonce: number }>
}

/** Reads a transaction of type 2 as `sign` made it. */
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

export function createTransactions(rpc: Rpc, chainId: number, privateKey: Hex, log: Log): Transactions {
  const wallet = new Wallet(privateKey)
  const sender = address(wallet.address)

  /** Undefined when the node does not answer. */
  async function isKnown(hash: Bytes32): Promise<boolean | undefined> {
    try {
      return (await rpc.call('eth_getTransactionByHash', [hash])) !== null
    } catch {
      return undefined
    }
  }

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
    async broadcast({ raw, hash }) {
      try {
        await rpc.call('eth_sendRawTransaction', [raw])
        return undefined
      } catch (fault) {
        if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
        // A broadcast that timed out may have arrived; the retry is then refused as a duplicate.
        const isThere = fault instanceof Outage ? undefined : await isKnown(hash)
        if (isThere === false) return fault.message
        if (isThere) return undefined
        log.warn('a transaction may not have reached the node', { hash, fault: fault.message })
        return undefined
      }
    },
    mayBeKnown: async (hash) => (await isKnown(hash)) !== false,
    async receipt(hash) {
      const receipt = await available(rpc.call('eth_getTransactionReceipt', [hash]))
      if (receipt === null) return undefined
      const { status, blockNumber } = parseObject(receipt)
      return { hash, success: status === toQuantity(1), block: parseIndex(blockNumber) }
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
