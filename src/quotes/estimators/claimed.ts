import type { Address } from '../../domain/evm/address.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { Claim, OutsideQuestion } from '../../solvers/outside/quote.ts'
import type { Ask, Estimate } from '../estimator.ts'
import { noLiquidity } from '../fault-choice.ts'

/** The outside estimator that makes a claim. */
export interface Claimant {
  name: string
  /**
   * The submission address of its settlements, from the settings. The address in a response is not trusted.
   */
  solver: Address
  wrappedNative: Address
}

/**
 * The ask in the form for outside estimators: the native coin in its wrapped form.
 * @throws Refusal NoLiquidity if that makes both tokens the same, which no outside estimator trades
 */
export function outsideQuestion(ask: Ask, { wrappedNative }: Claimant): OutsideQuestion {
  const buyToken = wrappedForm(ask.buyToken, wrappedNative)
  if (ask.sellToken === buyToken) throw noLiquidity()
  return { ...ask, buyToken }
}

/** Converts a claim, adding the gas of unwrapping, which the outside question does not include. */
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
