import { Interface } from 'ethers'
import type { DecodedEvent, SimulatedLog } from '../../domain/evm/bundle.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import { settlementAbi } from '../settlement/abi.ts'
import type { RawLog } from './run.ts'

/**
 * The events of tokens, pools, wrapped coins and the settlement contract. They are recognised by their form:
 * any contract may emit them.
 */
const known = [
  new Interface([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'event Deposit(address indexed account, uint256 value)',
    'event Withdrawal(address indexed account, uint256 value)',
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    'event Sync(uint112 reserve0, uint112 reserve1)',
    'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
    'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  ]),
  settlementAbi,
]
/** The size above which data is shown undecoded. */
const maxDecodedBytes = 4_096

export function withEvent(log: RawLog): SimulatedLog {
  return { ...log, event: decode(log) }
}

function decode({ topics, data }: RawLog): DecodedEvent | null {
  if (hexSize(data) > maxDecodedBytes) return null
  for (const abi of known) {
    try {
      const parsed = abi.parseLog({ topics: [...topics], data })
      if (!parsed) continue
      const { name, fragment, args } = parsed
      return {
        name,
        arguments: fragment.inputs.map(({ name: argument, type }, index) => ({
          name: argument,
          type,
          value: textOf(args[index]),
        })),
      }
    } catch {
      // The log has another event with the same name and types, such as one with other members indexed.
    }
  }
  return null
}

/** The text of a value, with addresses and bytes in lowercase, as elsewhere. */
function textOf(value: unknown): string {
  const text = String(value)
  return /^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text
}
