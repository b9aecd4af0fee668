import { AbiCoder } from 'ethers'
import type { Address } from '../domain/address.ts'
import { type Hex, hexSize, hexToBytes } from '../domain/hex.ts'
import type { Token } from '../domain/token.ts'
import type { Rpc } from './rpc.ts'
import { tokenAbi } from './token-abi.ts'
import { available, parseReturn } from './wire.ts'

const longestText = 100
const members = ['symbol', 'name', 'decimals'] as const

/** Tokens in the order asked for; a member is null where the contract is silent or talks nonsense. @throws Outage */
export async function readTokenMetadata(
  rpc: Rpc,
  chainId: number,
  addresses: readonly Address[],
): Promise<Token[]> {
  const answers = await available(
    rpc.batch(
      addresses.flatMap((to) =>
        members.map((member) => ({
          method: 'eth_call',
          params: [{ to, data: tokenAbi.encodeFunctionData(member) }, 'latest'],
        })),
      ),
    ),
  )
  const returned = answers.map(parseReturn)
  return addresses.map((address, index) => {
    const [symbol, name, decimals] = returned.slice(index * members.length)
    return { chainId, address, symbol: toText(symbol), name: toText(name), decimals: toDecimals(decimals) }
  })
}

/** Some early tokens return bytes32 in place of a string. The text is a stranger's: one line, bounded, storable. */
function toText(returned: Hex | undefined): string | null {
  if (!returned) return null
  const bytes = hexSize(returned) === 32 ? hexToBytes(returned) : decodeBytes(returned)
  const text = Buffer.from(bytes ?? [])
    .toString('utf8')
    .replace(/\p{Cc}/gu, '')
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
