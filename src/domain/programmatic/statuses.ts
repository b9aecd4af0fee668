/** Words and texts alone, for pages too: statuses of programmatic orders and parts, and results of polls. */

export const generatorStatuses = [
  'scheduled',
  'active',
  'filled',
  'partlyFilled',
  'expired',
  'ended',
  'cancelled',
  'invalid',
] as const

export type GeneratorStatus = (typeof generatorStatuses)[number]

export const generatorStatusTexts: Record<GeneratorStatus, string> = {
  scheduled: 'Starts later.',
  active: 'Parts of it can be traded, now or once its condition is met.',
  filled: 'All its parts are filled.',
  partlyFilled: 'Its time has passed; some of its parts are filled.',
  expired: 'Its time has passed; no part of it is filled.',
  ended: 'Its handler makes no more parts of it.',
  cancelled: 'Its owner has removed it, or the root that authorised it; parts that were filled stay.',
  invalid: 'Its terms are such that it can never trade.',
}

export const partStatuses = ['scheduled', 'notPosted', 'open', 'filled', 'expired', 'cancelled'] as const

export type PartStatus = (typeof partStatuses)[number]

export const partStatusTexts: Record<PartStatus, string> = {
  scheduled: 'Can be traded later.',
  notPosted: 'Can be traded, but the book lacks it.',
  open: 'In the book.',
  filled: 'Traded.',
  expired: 'Its time has passed.',
  cancelled: 'Its owner has cancelled it, or the conditional order, before its time passed.',
}

/** The results of a poll of a programmatic order by the watch tower. */
export const pollResults = [
  'placed',
  'waiting',
  'notMet',
  'insufficientBalance',
  'insufficientAllowance',
  'refused',
  'guarded',
  'walletNotReady',
  'failed',
  'unauthorised',
  'unavailable',
  'ended',
] as const

export type PollResult = (typeof pollResults)[number]

export const pollResultTexts: Record<PollResult, string> = {
  placed: 'Its part is in the book.',
  waiting: 'No part can be traded before a later time or block.',
  notMet: 'Its handler makes no part now: a condition is not met.',
  insufficientBalance: 'The owner has too little of the sell token for its part.',
  insufficientAllowance: 'The owner has approved too little of the sell token for its part.',
  refused: 'The service refused its part; the reason has the error.',
  guarded: 'The swap guard of the owner forbids its part.',
  walletNotReady: 'The wallet does not leave signatures to the contract of programmatic orders.',
  failed: 'Its handler or its wallet fails, or needs too much gas or time.',
  unauthorised: 'The contract does not authorise it any more.',
  unavailable: 'The node, or another system, did not answer.',
  ended: 'No part of it can follow.',
}
