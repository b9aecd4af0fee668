import type { Clock } from '../../domain/log.ts'
import type { Driver } from '../../solvers/driver/driver.ts'
import type { Estimator } from '../estimator.ts'
import { type Claimant, claimedEstimate, outsideQuestion } from './claimed.ts'

export interface DriverOptions {
  claimant: Claimant
  driver: Driver
  now: Clock
  /** The time limit sent to the driver. */
  answerMs: number
}

/** Creates an estimator from a solver's driver, which reads the market itself. */
export function createDriverEstimator({ claimant, driver, now, answerMs }: DriverOptions): Estimator {
  return {
    name: claimant.name,
    async estimate(ask, signal) {
      const deadline = new Date(now() + answerMs)
      const claim = await driver.quote(outsideQuestion(ask, claimant), deadline, signal)
      return claimedEstimate(ask, claim, claimant)
    },
  }
}
