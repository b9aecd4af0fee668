import type { Refused, SolutionRefusal } from '../../domain/auction/refusal.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import type { Notice } from '../solver.ts'

/** The notice about a rule without a kind of its own. */
export function refusalNotice(code: SolutionRefusal, reason: string): Notice {
  return { kind: 'driverError', code, reason, extra: { reason } }
}

/** The stored form of a refusal of which the solver is notified. */
export function refusedBy({ code = 'unsupported', reason }: Notice): Refused {
  return { code, message: reason }
}

/** The notice about a whole answer. There is none while a solver is paused, which is no news to it. */
export function faultNotice(fault: unknown): Notice | undefined {
  if (fault instanceof Refusal || fault instanceof Throttled || !(fault instanceof OutsideFault))
    return undefined
  const { reason } = fault
  if (reason === 'did not answer in time') return { kind: 'timeout', reason }
  if (reason.endsWith('two solutions have one id')) return { kind: 'duplicatedSolutionId', reason }
  if (/^sends an invalid answer|^answers /.test(reason))
    return { kind: 'deserializationError', reason, extra: { reason } }
  return undefined
}
