import { AbiCoder } from 'ethers'
import type { Address } from '../domain/address.ts'
import { Outage } from '../domain/error.ts'
import { type Hex, hexSize, hexToBytes } from '../domain/hex.ts'
import type { Token } from '../domain/token.ts'
import type { Rpc, RpcAnswer } from './rpc.ts'
import { tokenAbi } from './token-abi.ts'
import { available, parseAnswer, parseIndex, parseReturn, toQuantity } from './wire.ts'

const longestText = 100
const members = ['symbol', 'name', 'decimals'] as const

/** Enough for a long name behind a proxy. Many tokens share a batch: one that burns all it gets must not hold up the others. */
const memberGas = toQuantity(500_000)

/** As its contract told it. */
export interface ReadToken extends Token {
  /** The newest one at that time. */
  block: number
}

/**
 * In the order asked for: a token, with null where the contract is silent or talks nonsense, or an Outage where the node
 * refused to ask this one. @throws Outage when it answers nothing at all
 */
export async function readTokenMetadata(
  rpc: Rpc,
  chainId: number,
  addresses: readonly Address[],
): Promise<(ReadToken | Outage)[]> {
  const answers = await available(
    rpc.batch([
      ...addresses.flatMap((to) =>
        members.map((member) => ({
          method: 'eth_call',
          params: [{ to, data: tokenAbi.encodeFunctionData(member), gas: memberGas }, 'latest'],
        })),
      ),
      { method: 'eth_blockNumber' },
    ]),
  )
  const last = answers[addresses.length * members.length]
  const block = parseIndex(parseAnswer(last))
  return addresses.map((address, index) =>
    readToken(
      { chainId, address, block },
      answers.slice(index * members.length, (index + 1) * members.length),
    ),
  )
}

function readToken(
  key: Pick<ReadToken, 'chainId' | 'address' | 'block'>,
  answers: readonly RpcAnswer[],
): ReadToken | Outage {
  try {
    const [symbol, name, decimals] = answers.map(parseReturn)
    return { ...key, symbol: toText(symbol), name: toText(name), decimals: toDecimals(decimals) }
  } catch (error) {
    if (error instanceof Outage) return error
    throw error
  }
}

/** Some early tokens return bytes32 in place of a string. The text is a stranger's: one line, bounded, storable, of visible characters. */
function toText(returned: Hex | undefined): string | null {
  if (!returned) return null
  const bytes = hexSize(returned) === 32 ? hexToBytes(returned) : decodeBytes(returned)
  const text = Buffer.from(bytes ?? [])
    .toString('utf8')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
  return [...text.trim()].slice(0, longestText).join('') || null
}

/** A string's bytes, read as bytes: text that is not UTF-8 is no reason to give up. */
function decodeBytes(returned: Hex): Uint8Array | undefined {
  try {
    return Buffer.from(String(AbiCoder.defaultAbiCoder().decode(['bytes'], returned)[0]).slice(2), 'hex')
  } catch {
    return undefined
  }
}

function toDecimals(returned: Hex | undefined): number | null {
  if (!returned || hexSize(returned) < 32) return null
  const decimals = BigInt(returned.slice(0, 66))
  return decimals < 256n ? Number(decimals) : null
}
