import { AbiCoder } from 'ethers'
import { type Hex, hexSize, toHex } from '../../domain/evm/hex.ts'
import type { Rpc, RpcError } from './rpc.ts'
import { isExecutionFault, toQuantity } from './wire.ts'

const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'
/** The errors of BalanceGuard: `TooLittle(address token, uint256 missing)`, `NotRead(address token)`. */
const tooLittleSelector = '0x336e3c9a'
const notReadSelector = '0xed283fde'
const maxTextLength = 200

/**
 * The reason for a failed contract call in one short line: the contract's message, a panic code, short hex,
 * or the node's message.
 */
export function revertText(error: RpcError): string {
  const data = revertData(error.data)
  return oneLine((data && hexSize(data) > 0 && decodeRevert(data)) || error.message)
}

/** The reason in revert data that another contract caught. */
export function revertDataText(data: Hex): string {
  return oneLine(hexSize(data) > 0 ? decodeRevert(data) : 'reverted')
}

/** The reason of a settlement whose guard cannot read a token's balance. */
export function unreadText(token: string): string {
  return `the balance of ${token} cannot be read`
}

/** Returns the token that the text of a guarded settlement’s revert names. Any contract can revert so. */
export function unreadToken(text: string): string | undefined {
  return /^the balance of (0x[0-9a-f]{40}) cannot be read$/.exec(text)?.[1]
}

/**
 * Finds the reason by repeating a call on the state after its block, since a receipt has no revert reason.
 * The first attempt has its gas price, which some contracts read; the account may have too little left for
 * that.
 */
export async function revertReason(
  rpc: Rpc,
  { gasPrice, ...call }: Record<string, Hex>,
  block: number,
): Promise<string> {
  for (const tried of [...(gasPrice ? [{ ...call, gasPrice }] : []), call]) {
    try {
      await rpc.call('eth_call', [tried, toQuantity(block)])
    } catch (fault) {
      if (isExecutionFault(fault)) return revertText(fault)
    }
  }
  return 'reverted'
}

function decodeRevert(data: Hex): string {
  const selector = data.slice(0, 10)
  try {
    const body = `0x${data.slice(10)}`
    if (selector === errorSelector) return String(AbiCoder.defaultAbiCoder().decode(['string'], body)[0])
    if (selector === panicSelector) return `Panic(0x${BigInt(body).toString(16).padStart(2, '0')})`
    if (selector === tooLittleSelector) {
      const [token, missing] = AbiCoder.defaultAbiCoder().decode(['address', 'uint256'], body)
      return `the balance of ${String(token).toLowerCase()} would be ${missing} less than it must be`
    }
    if (selector === notReadSelector) return unreadText(`0x${body.slice(26)}`)
  } catch {
    // The data does not match its selector, so it is shown as hex.
  }
  return data.length > 20 ? `${data.slice(0, 18)}…` : data
}

/** Finds revert data. Nodes put it into `data` itself, or one level down. */
export function revertData(data: unknown): Hex | undefined {
  if (typeof data === 'string') return toHex(data)
  return typeof data === 'object' && data !== null && 'data' in data ? revertData(data.data) : undefined
}

/** A text as one short line without control characters. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, maxTextLength)
}
