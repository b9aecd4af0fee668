import { takings } from '../bad/contracts.ts'
import { drains } from '../bad/drains.ts'
import { type BadName, badNames } from '../bad/engines.ts'
import { lies } from '../bad/lies.ts'
import { ask, type Ground } from '../ground.ts'

interface Notice {
  auctionId: number
  solutionIds: string[]
  kind: string
  reason: string
}

/** Returns the newest hundred notices. */
async function noticesOf(ground: Ground, solver: string): Promise<Notice[]> {
  const { status, body } = await ask(ground, `/api/v1/solver_notices/${solver}`)
  if (status !== 200) throw new Error(`the notices of ${solver}: ${status}`)
  return body
}

export interface BadResults {
  /** The notices' reasons, by trick or engine. */
  reasons: Record<string, string[]>
  faults: string[]
}

/** Kinds of notices to engines without tricks. */
const kindOf: Partial<Record<BadName, string>> = { hangs: 'timeout', floods: 'deserializationError' }
const tricksOf: Partial<Record<BadName, object>> = { liar: lies, drain: drains }

/** Checks that no bad solver has settled or taken anything, and that each can read the reason. */
export async function checkBad(
  ground: Ground,
  accounts: Record<BadName, string>,
  solvers: Record<string, number>,
): Promise<BadResults> {
  const results: BadResults = { reasons: {}, faults: [] }
  for (const name of badNames) {
    const settled = solvers[accounts[name]]
    if (settled) results.faults.push(`${name} has settled ${settled} times`)
    const notices = await noticesOf(ground, accounts[name])
    const tricks = Object.keys(tricksOf[name] ?? {})
    for (const [index, trick] of tricks.entries()) {
      const own = notices.filter(({ solutionIds }) => solutionIds.includes(`${index}`))
      if (own.length > 0) note(results, `${name} ${trick}`, own)
    }
    if (tricks.length > 0 && notices.length > 0) continue
    note(results, name, notices)
    if (notices.some(({ kind }) => kind !== kindOf[name]))
      results.faults.push(`${name} was notified of ${notices.map(({ kind }) => kind).join(', ')}`)
  }
  for (const [token, amount] of await takings(ground))
    results.faults.push(`${amount} atoms of ${token} were stolen`)
  return results
}

function note({ reasons, faults }: BadResults, name: string, notices: readonly Notice[]): void {
  reasons[name] = [...new Set(notices.map(({ kind, reason }) => `${kind}: ${reason}`))]
  if (notices.length === 0) faults.push(`${name} cannot read why it was refused`)
  if (notices.some(({ kind }) => kind === 'success')) faults.push(`${name} succeeded`)
}
