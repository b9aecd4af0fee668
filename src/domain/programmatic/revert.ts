import { type AbiTuple, readAbi } from '../evm/abi-reader.ts'
import { type Hex, hexToBytes } from '../evm/hex.ts'
import { plain } from '../text/readable.ts'
import { programmaticErrors } from './abi.ts'

/** The reason why no part can be had, as the contracts gave it. */
export type PollFault =
  | { error: 'OrderNotValid' | 'PollTryNextBlock' | 'PollNever' | 'Error'; message: string }
  /** `at` is the number of a block, or a time in Unix seconds. */
  | { error: 'PollTryAtBlock' | 'PollTryAtEpoch'; at: bigint; message: string }
  | { error: BareError }
  | { error: 'Panic'; code: bigint }
  /** No data: values that cannot be decoded, an account without code, or a wallet that answers nothing. */
  | { error: 'Empty' }
  /** An error of the handler's own, or one whose data do not fit it. */
  | { error: 'Unknown'; data: Hex }

const bareErrors = [
  'SingleOrderNotAuthed',
  'ProofNotAuthed',
  'SwapGuardRestricted',
  'InvalidHandler',
  'InvalidFallbackHandler',
  'InterfaceNotSupported',
  'InvalidHash',
] as const
type BareError = (typeof bareErrors)[number]

const maxMessageLength = 200
const maxShownSize = 36
const selectorDigits = 10

const message = (tuple: AbiTuple) => cleanMessage(tuple.bytes(Number.MAX_SAFE_INTEGER))

/** Readers of the arguments by the name of the error. */
const errorReaders: Readonly<Record<PollFault['error'], ((tuple: AbiTuple) => PollFault) | undefined>> = {
  OrderNotValid: (tuple) => ({ error: 'OrderNotValid', message: message(tuple) }),
  PollTryNextBlock: (tuple) => ({ error: 'PollTryNextBlock', message: message(tuple) }),
  PollTryAtBlock: (tuple) => ({ error: 'PollTryAtBlock', at: tuple.uint(), message: message(tuple) }),
  PollTryAtEpoch: (tuple) => ({ error: 'PollTryAtEpoch', at: tuple.uint(), message: message(tuple) }),
  PollNever: (tuple) => ({ error: 'PollNever', message: message(tuple) }),
  Error: (tuple) => ({ error: 'Error', message: message(tuple) }),
  Panic: (tuple) => ({ error: 'Panic', code: tuple.uint() }),
  ...(Object.fromEntries(bareErrors.map((error) => [error, () => ({ error })])) as Record<
    BareError,
    () => PollFault
  >),
  Empty: undefined,
  Unknown: undefined,
}

const readerOf = new Map<string, ((tuple: AbiTuple) => PollFault) | undefined>()
programmaticErrors.forEachError(({ selector, name }) => {
  readerOf.set(selector, errorReaders[name as PollFault['error']])
})

/** Decodes the data of a revert. Messages become one line of at most 200 characters. */
export function decodePollFault(data: Hex): PollFault {
  if (data === '0x') return { error: 'Empty' }
  const read = readerOf.get(data.slice(0, selectorDigits))
  const decoded = read && readAbi(`0x${data.slice(selectorDigits)}`, read)
  return decoded ?? { error: 'Unknown', data: `0x${data.slice(2, 2 + 2 * maxShownSize)}` }
}

/** The text without characters that control a terminal; a character takes at most four bytes. */
function cleanMessage(bytes: Hex): string {
  const start = Buffer.from(hexToBytes(bytes)).subarray(0, 4 * maxMessageLength)
  return [...plain(start.toString('utf8'))].slice(0, maxMessageLength).join('')
}

/** The time of the next poll. `unauthorised`: the owner removed the order, or has another root. */
export type NextPoll =
  | { when: 'nextBlock' }
  | { when: 'atBlock'; block: number }
  | { when: 'atEpoch'; time: number }
  | { when: 'never' }
  | { when: 'unauthorised' }

const maxUint32 = 2n ** 32n - 1n

/**
 * Decides when to poll after a revert. Only the handler's PollNever ends an order, or a time that no order
 * can reach. OrderNotValid does not: handlers also use it for conditions that are not met yet. A guard, a
 * wallet or a handler that refuses today may accept tomorrow.
 */
export function nextPoll(fault: PollFault): NextPoll {
  switch (fault.error) {
    case 'PollNever':
      return { when: 'never' }
    case 'PollTryAtEpoch':
      return fault.at > maxUint32 ? { when: 'never' } : { when: 'atEpoch', time: Number(fault.at) }
    case 'PollTryAtBlock':
      return fault.at > Number.MAX_SAFE_INTEGER
        ? { when: 'never' }
        : { when: 'atBlock', block: Number(fault.at) }
    case 'SingleOrderNotAuthed':
    case 'ProofNotAuthed':
      return { when: 'unauthorised' }
    default:
      return { when: 'nextBlock' }
  }
}
