import { word } from '../domain/evm/abi.ts'
import type { Address } from '../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../domain/evm/hex.ts'
import type { ChainIdentity, Network } from '../domain/network/network.ts'
import type { Rpc, RpcResponse } from './rpc/rpc.ts'
import {
  available,
  parseHash,
  parseHex,
  parseIndex,
  parseObject,
  parseReturn,
  toQuantity,
} from './rpc/wire.ts'
import { effectiveGasPrice, readFees } from './transaction/fees.ts'

export interface Block {
  number: number
  hash: Bytes32
  parentHash: Bytes32
  /** Unix seconds. */
  timestamp: number
}

export interface Holding {
  owner: Address
  token: Address
}

/** A settlement can take the smaller of the two, in atoms. */
export interface Spendable {
  balance: bigint
  /** To the network's vault relayer. */
  allowance: bigint
}

/** Reads at the newest block. Every read throws Outage when the node is unreachable, refuses, or sends a malformed response. */
export interface Chain {
  identity(): Promise<ChainIdentity>
  head(): Promise<Block>
  /** `undefined` when the chain has no such block (yet, or after a reorg). */
  block(number: number): Promise<Block | undefined>
  /** Wei for one unit of gas, as a transaction sent now would pay it. */
  gasPrice(): Promise<bigint>
  /** In the order of `holdings`. Zeros for a token without code, or one that reverts. */
  spendable(holdings: readonly Holding[]): Promise<Spendable[]>
  /** `0x` for an account without code. */
  code(address: Address): Promise<Hex>
}

export function createChain({ rpc, network }: { rpc: Rpc; network: Network }): Chain {
  const readBlock = async (tag: string) => {
    const block = await available(rpc.call('eth_getBlockByNumber', [tag, false]))
    return block === null ? undefined : parseBlock(block)
  }
  const requireBlock = async (tag: string) => (await readBlock(tag)) ?? parseBlock(undefined)

  return {
    async identity() {
      const [chainId, genesis] = await Promise.all([available(rpc.call('eth_chainId')), requireBlock('0x0')])
      return { chainId: parseIndex(chainId), genesisHash: genesis.hash }
    },
    head: () => requireBlock('latest'),
    block: (number) => readBlock(toQuantity(number)),
    gasPrice: async () => effectiveGasPrice(await readFees(rpc)),
    async spendable(holdings) {
      const responses = await available(
        rpc.batch(
          holdings.flatMap(({ owner, token }) => [
            readToken(token, 'balanceOf', [owner]),
            readToken(token, 'allowance', [owner, network.vaultRelayer]),
          ]),
        ),
      )
      const amounts = responses.map(parseAmount)
      return holdings.map((_, index) => ({
        balance: amounts[index * 2] ?? 0n,
        allowance: amounts[index * 2 + 1] ?? 0n,
      }))
    },
    code: async (address) => parseHex(await available(rpc.call('eth_getCode', [address, 'latest']))),
  }
}

/** Far more than a token needs. Reads for many clients share a batch; the limit keeps one token from delaying the others. */
const readGas = toQuantity(2_000_000)

/** `balanceOf(address)` and `allowance(address,address)`. */
const selectors = { balanceOf: '0x70a08231', allowance: '0xdd62ed3e' }

/** Encoded by hand: the ABI library's encoder takes longer than the rest of a read. */
function readToken(to: Address, method: keyof typeof selectors, args: readonly Address[]) {
  const data = [selectors[method], ...args.map(word)].join('')
  return { method: 'eth_call', params: [{ to, data, gas: readGas }, 'latest'] }
}

function parseAmount(response: RpcResponse): bigint {
  const returned = parseReturn(response)
  return returned && hexSize(returned) >= 32 ? BigInt(returned.slice(0, 66)) : 0n
}

function parseBlock(value: unknown): Block {
  const { number, hash, parentHash, timestamp } = parseObject(value)
  return {
    number: parseIndex(number),
    hash: parseHash(hash),
    parentHash: parseHash(parentHash),
    timestamp: parseIndex(timestamp),
  }
}
