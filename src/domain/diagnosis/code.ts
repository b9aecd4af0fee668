interface CodeText {
  /** The meaning, for a trader who knows nothing about auctions. */
  meaning: string
  /** The advice for the trader. */
  advice: string
  /** True if waiting may be enough, without a change of the order, its account or the service. */
  retryable: boolean
}

/**
 * Reasons why an order is not filled, and how it ended. They are listed in the order in which they must be
 * resolved. Reasons about the service come before reasons about the order, whose figures are outdated until
 * the service runs again.
 */
export const diagnosisTexts = {
  filled: {
    meaning: 'The order is filled.',
    advice: 'Nothing is left to do.',
    retryable: false,
  },
  cancelled: {
    meaning: 'The order was cancelled: by its owner, by the operator, by a newer order, or on chain.',
    advice: 'Place a new order to trade.',
    retryable: false,
  },
  expired: {
    meaning: 'The time that was signed with the order passed before it was filled.',
    advice: 'Place a new order to trade.',
    retryable: false,
  },
  neverTradable: {
    meaning: 'The order was placed on chain in a way that can never be traded.',
    advice: 'Wait for the refund of what it sells, and place a new order.',
    retryable: false,
  },
  partlyFilled: {
    meaning: 'A part of the order is filled. The other reasons explain why the rest is not.',
    advice: 'Look at the next reason: it explains why the rest is not filled.',
    retryable: true,
  },
  nodeAway: {
    meaning: 'The service cannot read the chain at the moment.',
    advice: 'Wait: the order continues when the chain can be read again.',
    retryable: true,
  },
  chainBehind: {
    meaning: 'The newest block that the service has seen is old: the chain, or the service, is behind.',
    advice: 'Wait: a trade that is not reported yet may have happened already.',
    retryable: true,
  },
  auctionsHalted: {
    meaning: 'The service holds no auctions at the moment, so no order is filled.',
    advice: 'Wait: the order takes part again with the next auction.',
    retryable: true,
  },
  settling: {
    meaning: 'A trade was found, and its transaction is on the way to the chain.',
    advice: 'Wait until it is in a block, which usually takes some seconds.',
    retryable: true,
  },
  settlementStuck: {
    meaning: 'The transaction that fills the order was sent, but its last block passed without it.',
    advice: 'Wait: the service withdraws the transaction, and tries again.',
    retryable: true,
  },
  notAccepted: {
    meaning: 'The service does not accept the order in this form.',
    advice: 'Change what the error names, and sign the order again.',
    retryable: false,
  },
  notYetValid: {
    meaning: 'The order has a start time that has not come yet.',
    advice: 'Wait until then.',
    retryable: true,
  },
  expiresTooSoon: {
    meaning: 'The order expires too soon for another auction.',
    advice: 'Place a new order with a later expiry, once this one has expired.',
    retryable: false,
  },
  accountDenied: {
    meaning: 'The operator does not trade for this account.',
    advice: 'Ask the operator of the service.',
    retryable: false,
  },
  tokenDenied: {
    meaning: 'The operator does not trade one of the tokens.',
    advice: 'Trade another token.',
    retryable: false,
  },
  presignatureMissing: {
    meaning: 'The owner has not signed the order on chain yet.',
    advice:
      'The wallet that sells has to sign the order with a transaction: in a Safe, its owners confirm and execute it. For programs: setPreSignature of the settlement contract, with the order’s UID and true.',
    retryable: false,
  },
  signatureInvalid: {
    meaning: 'The owner’s contract does not accept the signature any more.',
    advice: 'Check the wallet’s owners and rules, or sign a new order.',
    retryable: false,
  },
  balanceMissing: {
    meaning: 'The account has too little of the token that is sold.',
    advice: 'Send the missing amount to the account.',
    retryable: false,
  },
  allowanceMissing: {
    meaning: 'The account allows too little of the token that is sold to be taken for its trades.',
    advice:
      'Approve the amount that is sold for the vault relayer: the contract that takes it when the order is filled.',
    retryable: false,
  },
  balanceHeld: {
    meaning: 'Another order of the same account comes first for the balance, as it is more likely to fill.',
    advice: 'Cancel the other order, or add what is missing for both.',
    retryable: true,
  },
  hooksFail: {
    meaning: 'The order’s own calls, its hooks, fail, or they do not bring what the order sells.',
    advice: 'Repair the hooks: sign a new order with calls that work now.',
    retryable: false,
  },
  tokenMisbehaves: {
    meaning: 'The token that is sold refuses the transfer, though balance and allowance suffice.',
    advice: 'Look at the rules of the token: it may be paused, or may block the account.',
    retryable: false,
  },
  tooSmall: {
    meaning: 'What is left of the order, or what the account has for it, is too small to be traded.',
    advice: 'Sell more at once.',
    retryable: false,
  },
  marketUnknown: {
    meaning: 'The service cannot read the market price at the moment.',
    advice: 'Ask again in a moment.',
    retryable: true,
  },
  noLiquidity: {
    meaning: 'No market leads from one token to the other for this amount.',
    advice: 'Trade a smaller amount, or wait for a market.',
    retryable: true,
  },
  noNativePrice: {
    meaning: 'One of the tokens has no price, so trades with it cannot be compared.',
    advice: 'Wait until the token has a market, or trade another.',
    retryable: true,
  },
  priceOutOfReach: {
    meaning: 'The order asks for a better price than the market gives.',
    advice: 'Wait for the market, or place a new order with a limit nearer to it.',
    retryable: true,
  },
  costsMoreThanItBrings: {
    meaning: 'The order meets the market, but what it leaves is less than the fee of the network.',
    advice: 'Trade more at once, take a limit that leaves more for the fee, or wait for lower fees.',
    retryable: true,
  },
  priceImpact: {
    meaning: 'The trade gives much less than the market price of its tokens.',
    advice: 'Trade less at once, or several parts over time. Sign only if you accept the loss.',
    retryable: false,
  },
  priceUnknown: {
    meaning: 'The price cannot be compared: no market price of the tokens is known.',
    advice: 'Compare the price with another source before you sign.',
    retryable: true,
  },
  priceUnverified: {
    meaning: 'No simulation has confirmed the price.',
    advice: 'Ask for a verified quote, or expect another price.',
    retryable: true,
  },
  hookGasTight: {
    meaning: 'The gas limit of one of the order’s own calls, its hooks, is close to what the call needs.',
    advice:
      'Sign the order with a higher gas limit for the hook: a hook that runs out of gas does nothing, and the trade goes on without it.',
    retryable: false,
  },
  tradesFail: {
    meaning: 'A token of the order, or a pool that it would be traded through, makes every trade fail.',
    advice:
      'Wait: it is tried again, after a longer pause each time. If it goes on, look at the rules of the token, or trade another.',
    retryable: true,
  },
  settlementReverts: {
    meaning: 'A settlement of the order alone fails when it is tried.',
    advice:
      'Look at the contract’s answer: the token, the receiver or the order’s own calls refuse the trade.',
    retryable: true,
  },
  failedGasSpent: {
    meaning:
      'Transactions with the order, with its account or with one of its tokens failed on chain, and used the gas that the service spends on such within a day.',
    advice:
      'Wait: it comes back when less of that gas is from within a day. Or look at the token and at the order’s own calls: they pass in a simulation, and fail in a transaction.',
    retryable: true,
  },
  settlementPaused: {
    meaning:
      'The order waits for some blocks: it, or another of the same account, may be why a settlement failed.',
    advice: 'Wait: it comes back by itself.',
    retryable: true,
  },
  settlementFailed: {
    meaning: 'A trade was found, but its transaction failed.',
    advice: 'Wait: another trade is looked for every few seconds.',
    retryable: true,
  },
  settlementTimedOut: {
    meaning: 'A trade was found, but its transaction did not get into a block in time.',
    advice: 'Wait: another trade is looked for every few seconds.',
    retryable: true,
  },
  solutionRefused: {
    meaning: 'A trade was proposed for the order, but it breaks a rule.',
    advice: 'Wait: other trades are looked for every few seconds.',
    retryable: true,
  },
  filteredForFairness: {
    meaning:
      'The best offer for the order was left out: one of the orders in it gets a better price elsewhere.',
    advice: 'Wait: another trade is looked for every few seconds.',
    retryable: true,
  },
  lostCompetition: {
    meaning: 'A trade was offered for the order, but offers for other orders were worth more.',
    advice: 'Wait: another trade is looked for every few seconds.',
    retryable: true,
  },
  outOfPlaces: {
    meaning:
      'The service looks for trades for so many orders at once: those that are more likely to fill come before this one.',
    advice: 'Wait for a place, or place a new order with a limit nearer to the market.',
    retryable: true,
  },
  notProposed: {
    meaning:
      'The market meets the price of the order, but no solver, a program that fills orders, has offered a trade yet.',
    advice: 'Wait: solvers look again every few seconds.',
    retryable: true,
  },
  notReadYet: {
    meaning:
      'Not all that decides about the order is read yet: its signature, its account’s balance and allowance, and the market price.',
    advice: 'Ask again in some seconds.',
    retryable: true,
  },
  decidedElsewhere: {
    meaning:
      'Signature, funds and price allow the order to be filled. Its order book is run elsewhere, and why solvers have not filled it is known only there.',
    advice: 'Wait: solvers look again every few seconds.',
    retryable: true,
  },
  waitingForAuction: {
    meaning: 'The order is new: solvers have not looked for a trade yet.',
    advice: 'Wait: solvers look for one every few seconds.',
    retryable: true,
  },
  postHookFailed: {
    meaning: 'The order was traded, but a call of its own after the trade, its post-hook, failed.',
    advice:
      'The trade is final, and the hook does not run again for it. Do by a transaction of your own what the hook was to do.',
    retryable: false,
  },
  placeable: {
    meaning: 'No known reason would keep the order from being filled.',
    advice: 'Sign and place it.',
    retryable: true,
  },
} as const satisfies Record<string, CodeText>

export type DiagnosisCode = keyof typeof diagnosisTexts

/** The codes in the order in which reasons must be resolved. */
export const diagnosisCodes = Object.keys(diagnosisTexts) as DiagnosisCode[]

/** Codes that do not explain the order itself. They are given alone, and only if nothing else is known. */
export const generalCodes: readonly DiagnosisCode[] = [
  'outOfPlaces',
  'notProposed',
  'notReadYet',
  'decidedElsewhere',
  'waitingForAuction',
  'placeable',
]
