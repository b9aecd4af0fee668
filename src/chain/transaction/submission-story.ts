import { formatUnits } from '../../domain/amount.ts'

const gwei = 10n ** 9n
const most = { first: 4, last: 8 }

/** The history of a transaction from block to block, as text for the owners of its orders. */
export interface SubmissionStory {
  /** Adds a step. An immediate repetition is left out. */
  add(block: number, what: string): void
  /** Returns the text. It is bounded: steps in the middle are left out. */
  text(): string
}

/** Creates a history. @param before the record of another process */
export function createSubmissionStory(before = ''): SubmissionStory {
  const steps = before === '' ? [] : before.split('; ')
  let last = ''
  return {
    add(block, what) {
      if (what === last) return
      last = what
      steps.push(`block ${block}: ${what.replaceAll('; ', ', ')}`)
      if (steps.length > most.first + most.last + 1) steps.splice(most.first, 2, '…')
    },
    text: () => steps.join('; '),
  }
}

/** Formats gwei with three digits after the point, rounded down. */
export function inGweiDown(wei: bigint): string {
  return formatUnits((wei * 1_000n) / gwei, 3)
}
