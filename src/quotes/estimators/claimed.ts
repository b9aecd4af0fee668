import type { Address } from '../../domain/evm/address.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { Claim, OutsideQuestion } from '../../solvers/outside/quote.ts'
import type { Ask, Estimate } from '../estimator.ts'
import { noLiquidity } from '../fault-choice.ts'

/** Whose word a claim is. */
export interface Claimant {
  name: string
  /** Submission address of its settlements, from the settings: who an answer says it is from is not believed. */
  solver: Address
  wrappedNative: Address
}

/**
 * An ask as it goes outside: the native coin in its wrapped form.
 * @throws Refusal where that is the same token twice, which nobody outside trades
 */
export function outsideQuestion(ask: Ask, { wrappedNative }: Claimant): OutsideQuestion {
  const buyToken = wrappedForm(ask.buyToken, wrappedNative)
  if (ask.sellToken === buyToken) throw noLiquidity()
  return { ...ask, buyToken }
}

/** Unwrapping, which the settlement of the ask has to pay for, is not in what was asked outside. */
export function claimedEstimate({ buyToken }: Ask, claim: Claim, claimant: Claimant): Estimate {
  const isNative = buyToken !== wrappedForm(buyToken, claimant.wrappedNative)
  return {
    ...claim,
    gas: claim.gas + (isNative ? gasUnits.unwrapNative : 0n),
    estimator: claimant.name,
    solver: claimant.solver,
    standing: 'claimed',
    route: null,
    block: null,
  }
}
