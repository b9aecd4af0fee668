import { expect } from 'vitest'
import type { DiagnosisCode } from '../../../src/domain/diagnosis/code.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { bytea } from '../../../src/storage/database/columns.ts'
import { sql } from '../../../src/storage/database/database.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { network } from '../../setup/server.ts'
import { at, million, type Stage, solver, time, unit } from './stage.ts'

/** How an order comes to be as it is, and what has to be told of it: evidence with all its values. */
interface Case {
  stage(stage: Stage): Promise<Order>
  code: DiagnosisCode
  since: string | null
  evidence: unknown[] | ((order: Order) => unknown[])
  further?: DiagnosisCode[]
  /** Where it is not that of the code alone. */
  advice?: string
}

const txHash = `0x${'2f'.repeat(32)}` as const
const iso = (seconds: number) => at(seconds).toISOString().replace('.000Z', 'Z')
const atoms = (token: string, needed: bigint, available: bigint) => ({
  kind: 'amounts',
  token,
  needed: `${needed}`,
  available: `${available}`,
  missing: `${needed > available ? needed - available : 0n}`,
})
const limit = { decimal: '0.0000000029', sellAmount: `${unit}`, buyAmount: '2900000000' }
const noPrice = {
  kind: 'price',
  limit,
  best: null,
  foundAt: null,
  foundAtBlock: null,
  foundBy: null,
  foundInAuction: null,
  gapPercent: null,
  gapSeenAt: null,
  dayMovementPercent: null,
  secondsNeeded: null,
}
const deadline = { kind: 'blocks', number: 103, at: null, head: null }
const sent = { kind: 'transaction', txHash, block: null }
const validity = (from: string | null, until: string) => ({
  kind: 'validity',
  from,
  until,
  offeredUntil: new Date(Date.parse(until) - 60_000).toISOString().replace('.000Z', 'Z'),
})
const far = '2033-05-18T03:33:20Z'
const competition = {
  kind: 'competition',
  auctionId: expect.any(Number),
  solver,
  score: '5',
  winningScore: null,
  scoreGap: null,
  refusal: null,
}
const hook = { pre: [{ target: numbered('0e'), value: 0n, callData: '0x' as const }], post: [] }
const wallet = { signingScheme: 'eip1271', signature: '0x1234' } as const

async function traded(stage: Stage, order: Order, sell: bigint, buy: bigint) {
  const block = 90n
  await sql(stage.db).trade.create({
    data: {
      chainId: order.chainId,
      blockNumber: block,
      logIndex: Number(order.id),
      orderId: order.id,
      orderUid: bytea(order.uid),
      owner: bytea(order.owner),
      txHash: bytea(txHash),
      sellToken: bytea(order.sellToken),
      buyToken: bytea(order.buyToken),
      feeAmount: '0',
      sellAmount: `${sell}`,
      buyAmount: `${buy}`,
    },
  })
  await sql(stage.db).orderEvent.create({
    data: { orderId: order.id, label: 'traded', timestamp: at(-2), blockNumber: block },
  })
  await sql(stage.db).order.update({
    where: { id: order.id },
    data: { executedSell: `${sell}`, executedBuy: `${buy}` },
  })
}

const newerUid = `0x${'5e'.repeat(56)}` as const
const generator = `0x${'9e'.repeat(32)}` as const

/** A part whose signature its wallet does not accept, with what is stored of its programmatic order. */
async function refusedPart(stage: Stage, known: { removedBlock?: bigint; endsAt?: bigint } | null) {
  const order = await stage.order(wallet)
  const key = { chainId: order.chainId, owner: bytea(order.owner), hash: bytea(generator) }
  const terms = { handler: bytea(numbered('0e')), salt: bytea(generator), staticInput: bytea('0x12') }
  if (known)
    await sql(stage.db).programmaticOrder.create({
      data: { ...key, ...terms, ...known, createdBlock: 80n, lookedBlock: 95n, type: 'TWAP' },
    })
  await sql(stage.db).programmaticPart.create({ data: { ...key, orderId: order.id } })
  await stage.stand(order, { reason: 'invalid_signature', revert: 'the order is not valid' })
  return order
}

/** `refusedPart` with its evidence. */
const partCase = (
  known: Parameters<typeof refusedPart>[1],
  status: string | null,
  advice: string,
  removedBlock: number | null = null,
): Case => ({
  stage: (stage) => refusedPart(stage, known),
  code: 'signatureInvalid',
  since: iso(-5),
  advice,
  evidence: ({ owner }) => [
    { kind: 'revert', reason: 'the order is not valid' },
    { kind: 'programmaticOrder', owner, hash: generator, status, removedBlock },
  ],
})
const createAgain = 'Create the programmatic order again to trade what is left of it.'

async function cancelled(stage: Stage, order: Order, reason: string | null, onChain = false) {
  await sql(stage.db).order.update({
    where: { id: order.id },
    data: onChain ? { invalidated: true } : { cancelledAt: at(-2) },
  })
  await stage.db.transaction((tx) =>
    appendEvents(tx, [{ orderId: order.id, label: 'cancelled', reason, timestamp: at(-2) }]),
  )
}

/** An order with this standing. */
const standing =
  (figures: Parameters<Stage['stand']>[1], more: Partial<Order> = {}): Case['stage'] =>
  async (stage) => {
    const order = await stage.order(more)
    await stage.stand(order, figures)
    return order
  }

const route = (buy: bigint) => ({ block: 102, price: { sell: unit, buy } })
const outcome =
  (result: string | null, hash: typeof txHash | null): Case['stage'] =>
  async (stage) => {
    const order = await stage.order()
    await stage.stand(order, result === null ? { reason: 'in_flight' } : { reason: null, marketGap: 9_000n })
    await stage.attempt(await stage.contest(order, [{ isWinner: true }]), result, hash)
    return order
  }

export const cases: Record<string, Case> = {
  'a filled order': {
    async stage(stage) {
      const order = await stage.order()
      await traded(stage, order, unit, 2_950n * million)
      return order
    },
    code: 'filled',
    since: iso(-2),
    evidence: [{ ...sent, block: 90 }, atoms(wrapped, unit, unit)],
  },
  'a filled order whose post-hook reverted': {
    async stage(stage) {
      const order = await stage.order()
      await traded(stage, order, unit, 2_950n * million)
      await sql(stage.db).hookCall.create({
        data: {
          chainId: network.chainId,
          blockNumber: 90n,
          logIndex: 1,
          phase: 'post',
          position: 0,
          orderId: order.id,
          txHash: bytea(sent.txHash),
          target: bytea(numbered('0e')),
          unknown: null,
          outcome: 'reverted',
          reason: 'the bridge is closed',
          gasUsed: 40_000n,
        },
      })
      return order
    },
    code: 'filled',
    since: iso(-2),
    further: ['postHookFailed'],
    evidence: [{ ...sent, block: 90 }, atoms(wrapped, unit, unit)],
    advice: 'Look at the next reason: it explains what is left to do.',
  },
  'a quarter of an order whose rest is too far': {
    async stage(stage) {
      const order = await stage.order({ partiallyFillable: true })
      await traded(stage, order, unit / 4n, 730n * million)
      await stage.stand(order, { marketGap: -20_000n, feeShare: 10n })
      return order
    },
    code: 'partlyFilled',
    since: iso(-2),
    further: ['priceOutOfReach'],
    evidence: [atoms(wrapped, unit, unit / 4n), { ...sent, block: 90 }],
  },
  'its owner cancelled': {
    async stage(stage) {
      const order = await stage.order()
      await cancelled(stage, order, null)
      return order
    },
    code: 'cancelled',
    since: iso(-2),
    evidence: [{ kind: 'cancellation', by: 'api', detail: null }],
  },
  'the operator cancelled': {
    async stage(stage) {
      const order = await stage.order()
      await cancelled(stage, order, 'policy: a court asked for it')
      return order
    },
    code: 'cancelled',
    since: iso(-2),
    evidence: [{ kind: 'cancellation', by: 'policy', detail: 'a court asked for it' }],
  },
  'a newer order replaced it': {
    async stage(stage) {
      const order = await stage.order()
      await cancelled(stage, order, `replacement: 0x${'77'.repeat(56)}`)
      return order
    },
    code: 'cancelled',
    since: iso(-2),
    evidence: [
      { kind: 'cancellation', by: 'replacement', detail: null },
      { kind: 'order', uid: `0x${'77'.repeat(56)}` },
    ],
  },
  'cancelled on chain': {
    async stage(stage) {
      const order = await stage.order()
      await cancelled(stage, order, `chain: ${txHash}`, true)
      return order
    },
    code: 'cancelled',
    since: iso(-2),
    evidence: [{ kind: 'cancellation', by: 'chain', detail: null }, sent],
  },
  'expired, as its price was out of reach': {
    stage: standing(
      { marketGap: -30_000n, feeShare: 10n },
      { validTo: 1_799_999_999, effectiveValidTo: 1_799_999_999 },
    ),
    code: 'expired',
    since: iso(-1),
    further: ['priceOutOfReach'],
    evidence: [validity(null, iso(-1))],
    advice:
      'Place a new order to trade. It needs a limit nearer to the market, which was 3 % worse than that of this one.',
  },
  'placed on chain against the rules': {
    stage: (stage) =>
      stage.order({ placementError: 'QuoteNotFound', placementDetail: 'there is no quote 7' }),
    code: 'neverTradable',
    since: iso(-10),
    evidence: [{ kind: 'revert', reason: 'there is no quote 7' }],
  },
  'not valid yet': {
    stage: (stage) => stage.order({ validFrom: 1_800_000_600 }),
    code: 'notYetValid',
    since: iso(-10),
    evidence: [validity(iso(600), far)],
  },
  'about to expire': {
    stage: standing({}, { validTo: 1_800_000_030, effectiveValidTo: 1_800_000_030 }),
    code: 'expiresTooSoon',
    since: iso(-30),
    evidence: [validity(null, iso(30))],
  },
  'not presigned, without a balance': {
    async stage(stage) {
      const order = await stage.order({ signingScheme: 'presign', signature: '0x' })
      stage.world.balances.set(order.owner, { balance: unit / 2n, allowance: unit })
      return order
    },
    code: 'presignatureMissing',
    since: iso(-10),
    further: ['balanceMissing'],
    evidence: [],
  },
  'the wallet refuses': {
    stage: standing({ reason: 'invalid_signature', revert: 'GS026' }, wallet),
    code: 'signatureInvalid',
    since: iso(-5),
    evidence: [{ kind: 'revert', reason: 'GS026' }],
  },
  'no balance, and not enough allowance': {
    stage: standing({
      reason: 'insufficient_balance',
      missing: unit,
      held: { balance: 0n, allowance: unit / 10n },
    }),
    code: 'balanceMissing',
    since: iso(-5),
    further: ['allowanceMissing'],
    evidence: [atoms(wrapped, unit, 0n)],
  },
  'no allowance': {
    stage: standing({
      reason: 'insufficient_balance',
      missing: unit,
      held: { balance: unit, allowance: 7n },
    }),
    code: 'allowanceMissing',
    since: iso(-5),
    evidence: [atoms(wrapped, unit, 7n)],
  },
  'no balance, and no auction yet': {
    async stage(stage) {
      const order = await stage.order()
      stage.world.balances.set(order.owner, { balance: 3n, allowance: unit })
      return order
    },
    code: 'balanceMissing',
    since: null,
    evidence: [atoms(wrapped, unit, 3n)],
  },
  'another order has the balance': {
    async stage(stage) {
      const first = await stage.order({ owner: numbered('ab12') })
      const order = await stage.order({ owner: numbered('ab12'), sellAmount: 2n * unit })
      await stage.stand(order, {
        reason: 'insufficient_balance',
        missing: unit / 2n,
        fundsTakenBy: first.id,
        held: { balance: 2n * unit, allowance: 2n * unit },
      })
      return order
    },
    code: 'balanceHeld',
    since: iso(-5),
    evidence: [
      { kind: 'order', uid: expect.stringContaining('ab12ab12') },
      atoms(wrapped, 2n * unit, (3n * unit) / 2n),
    ],
  },
  'hooks that do not bring what is sold': {
    stage: standing(
      { reason: 'insufficient_balance', missing: unit, held: { balance: unit, allowance: 0n } },
      { interactions: hook },
    ),
    code: 'hooksFail',
    since: iso(-5),
    evidence: [atoms(wrapped, unit, 0n)],
  },
  'hooks that fail in a settlement': {
    stage: standing(
      { reason: 'insufficient_balance', revert: 'hook: no' },
      { interactions: hook, buyAmount: 2_900n * million + 1n },
    ),
    code: 'hooksFail',
    since: iso(-5),
    evidence: [{ kind: 'revert', reason: 'hook: no' }],
  },
  'a token that refuses': {
    stage: standing({
      reason: 'insufficient_balance',
      revert: 'paused',
      held: { balance: unit, allowance: unit },
    }),
    code: 'tokenMisbehaves',
    since: iso(-5),
    evidence: [{ kind: 'revert', reason: 'paused' }],
  },
  'a settlement of it alone fails': {
    stage: standing({ reason: 'settlement_failed', revert: 'no ether, please' }),
    code: 'settlementReverts',
    since: iso(-5),
    evidence: [{ kind: 'revert', reason: 'no ether, please' }],
  },
  'a token that makes every trade fail': {
    stage: standing({
      reason: 'settlement_failed',
      revert: 'paused',
      failing: { kind: 'token', address: wrapped },
    }),
    code: 'tradesFail',
    since: iso(-5),
    evidence: [
      { kind: 'token', token: wrapped },
      { kind: 'revert', reason: 'paused' },
    ],
  },
  'a pool that makes every trade fail': {
    stage: standing({ revert: 'Pool: K', failing: { kind: 'pool', address: numbered('bb') } }),
    code: 'tradesFail',
    since: iso(-5),
    evidence: [
      { kind: 'pool', pool: numbered('bb') },
      { kind: 'revert', reason: 'Pool: K' },
    ],
  },
  'a pause after a failed settlement': {
    stage: standing({ reason: 'settlement_failed' }),
    code: 'settlementPaused',
    since: iso(-5),
    evidence: [],
  },
  'too much gas lost on chain': {
    stage: standing({ reason: 'failed_gas_spent', revert: 'it used too much' }),
    code: 'failedGasSpent',
    since: iso(-5),
    evidence: [{ kind: 'revert', reason: 'it used too much' }],
  },
  'a denied account': {
    stage: standing({ reason: 'banned_user' }),
    code: 'accountDenied',
    since: iso(-5),
    evidence: [],
  },
  'a denied token': {
    stage(stage) {
      stage.world.denied.add(numbered('de'))
      return standing({ reason: 'unsupported_token' }, { buyToken: numbered('de') })(stage)
    },
    code: 'tokenDenied',
    since: iso(-5),
    evidence: [{ kind: 'token', token: numbered('de') }],
  },
  'too small': { stage: standing({ reason: 'dust_order' }), code: 'tooSmall', since: iso(-5), evidence: [] },
  'a token without a price, and without a market': {
    stage: standing({
      reason: 'missing_native_price',
      unpriced: [dollar],
      routed: { block: 102, price: null },
    }),
    code: 'noLiquidity',
    since: iso(-5),
    further: ['noNativePrice'],
    evidence: [noPrice],
  },
  'a token without a price': {
    stage: standing({ reason: 'missing_native_price', unpriced: [wrapped, dollar] }),
    code: 'noNativePrice',
    since: iso(-5),
    evidence: [
      { kind: 'token', token: wrapped },
      { kind: 'token', token: dollar },
    ],
  },
  'no market for the amount': {
    stage: standing({ marketGap: 9_000n, feeShare: 10n, routed: { block: 102, price: null } }),
    code: 'noLiquidity',
    since: iso(-5),
    evidence: [noPrice],
  },
  'a price out of reach, in a market that moves towards it': {
    async stage(stage) {
      const order = await stage.order({ sellToken: numbered('a1'), buyToken: numbered('b1') })
      await stage.prices(numbered('a1'), [
        [-86_400, 100n],
        [-43_200, 100n],
        [0, 101n],
      ])
      await stage.prices(numbered('b1'), [
        [-86_400, 50n],
        [-43_200, 50n],
        [0, 50n],
      ])
      await stage.stand(order, {
        marketGap: -10_000n,
        feeShare: 10n,
        routed: route(2_842n * million),
        best: { sell: unit, buy: 2_871n * million, block: 77, at: at(-8).getTime() },
      })
      return order
    },
    code: 'priceOutOfReach',
    since: iso(-5),
    evidence: [
      {
        ...noPrice,
        best: { decimal: '0.000000002871', sellAmount: `${unit}`, buyAmount: '2871000000' },
        foundAt: iso(-8),
        foundAtBlock: 77,
        gapPercent: '2',
        gapSeenAt: iso(-5),
        dayMovementPercent: '1',
        // 2 % of the limit is 2.0408 % of the price.
        secondsNeeded: 176_326,
      },
    ],
  },
  'a price out of reach, though a solver came near': {
    async stage(stage) {
      const order = await stage.order()
      await stage.contest(order, [{ buy: 2_901n * million, solver: numbered('52') }])
      await stage.stand(order, { marketGap: -50_000n, feeShare: 10n, routed: route(2_755n * million) })
      return order
    },
    code: 'priceOutOfReach',
    since: null,
    evidence: [
      {
        ...noPrice,
        best: { decimal: '0.000000002901', sellAmount: `${unit}`, buyAmount: '2901000000' },
        foundAt: iso(-4),
        foundAtBlock: 100,
        foundBy: numbered('52'),
        gapPercent: '5',
        gapSeenAt: iso(-5),
        foundInAuction: expect.any(Number),
      },
    ],
  },
  'a price that a fee on the volume puts out of reach': {
    stage: standing({ marketGap: 900n, feeShare: 10n, policyShare: 1_000n }),
    code: 'priceOutOfReach',
    since: iso(-5),
    evidence: [{ ...noPrice, gapPercent: '0.01', gapSeenAt: iso(-5) }],
  },
  'a price that leaves less than the fee': {
    stage: standing({ marketGap: 1_500n, feeShare: 5_000n, routed: route(2_902_900_000n) }),
    code: 'costsMoreThanItBrings',
    since: iso(-5),
    evidence: [
      {
        kind: 'fee',
        token: wrapped,
        fee: '5000000000000000',
        left: '999000999000999',
        leastAmount: '5005000000000000000',
      },
    ],
  },
  'worth less than its gas': {
    stage: standing({ reason: 'fee_exceeds_value', marketGap: -100n, feeShare: 2_000_000n }),
    code: 'priceOutOfReach',
    since: iso(-5),
    further: ['costsMoreThanItBrings'],
    evidence: [{ ...noPrice, gapPercent: '0.01', gapSeenAt: iso(-5) }],
    advice:
      'Trade more at once, with a limit that leaves room for the fee, or wait for lower fees: another limit alone does not help.',
  },
  'a part whose programmatic order was removed': partCase(
    { removedBlock: 97n },
    'cancelled',
    createAgain,
    97,
  ),
  'a part of a programmatic order that is not known': partCase(null, null, createAgain),
  'a part of a programmatic order whose time is over': partCase(
    { endsAt: BigInt(time / 1_000) - 1n },
    'expired',
    'Create another programmatic order to trade more.',
  ),
  'a part that its handler does not make now': partCase(
    {},
    'active',
    'Look at the diagnosis of the programmatic order.',
  ),
  'a part that another followed': {
    async stage(stage) {
      const order = await refusedPart(stage, {})
      const newer = await stage.order({ ...wallet, owner: order.owner, uid: newerUid })
      const key = { chainId: order.chainId, owner: bytea(order.owner), hash: bytea(generator) }
      await sql(stage.db).programmaticPart.create({ data: { ...key, orderId: newer.id } })
      return order
    },
    code: 'signatureInvalid',
    since: iso(-5),
    advice: 'Look at the newer part: this one is over.',
    evidence: ({ owner }) => [
      { kind: 'revert', reason: 'the order is not valid' },
      { kind: 'order', uid: newerUid },
      { kind: 'programmaticOrder', owner, hash: generator, status: 'active', removedBlock: null },
    ],
  },
  'a document that came later and is refused': {
    stage: standing({ reason: 'document_refused', revert: 'wrappers are not available on this service' }),
    code: 'notAccepted',
    since: iso(-5),
    evidence: [{ kind: 'revert', reason: 'wrappers are not available on this service' }],
    advice: 'Change what the error names, and sign the order again.',
  },
  'on the way': {
    stage: outcome(null, txHash),
    code: 'settling',
    since: iso(-3),
    evidence: [sent, deadline],
  },
  'a settlement that failed': {
    stage: outcome('driver failed: GPv2: limit price not respected', txHash),
    code: 'settlementFailed',
    since: iso(-1),
    evidence: [sent, deadline, { kind: 'revert', reason: 'GPv2: limit price not respected' }],
  },
  'a settlement that came too late': {
    stage: outcome('timeout', null),
    code: 'settlementTimedOut',
    since: iso(-1),
    evidence: [deadline],
  },
  'a lost competition': {
    async stage(stage) {
      const order = await stage.order()
      await stage.stand(order, { marketGap: 9_000n, feeShare: 10n })
      await stage.contest(order, [
        { score: 12n, isWinner: true, solver: numbered('52'), fills: [] },
        { score: 5n },
      ])
      return order
    },
    code: 'lostCompetition',
    since: iso(-4),
    evidence: [{ ...competition, winningScore: '12', scoreGap: '7' }],
  },
  'a solution that breaks a rule': {
    async stage(stage) {
      const order = await stage.order()
      await stage.stand(order, { marketGap: 9_000n, feeShare: 10n })
      await sql(stage.db).refusedSolution.create({
        data: {
          auctionId: 900n,
          chainId: order.chainId,
          deadlineBlock: 90n,
          solver: bytea(solver),
          solutionIds: [1n],
          code: 'invalid_price',
          message: 'has no clearing price',
          orderIds: [order.id],
          at: at(-3),
        },
      })
      return order
    },
    code: 'solutionRefused',
    since: iso(-3),
    evidence: [{ ...competition, auctionId: 900, score: null, refusal: 'has no clearing price' }],
  },
  'left out for fairness': {
    async stage(stage) {
      const order = await stage.order()
      await stage.stand(order, { marketGap: 9_000n, feeShare: 10n })
      await stage.contest(order, [{ score: 5n, filteredOut: true }])
      return order
    },
    code: 'filteredForFairness',
    since: iso(-4),
    evidence: [competition],
  },
  'a full auction': {
    stage: standing({ reason: 'auction_full', marketGap: 9_000n, feeShare: 10n }),
    code: 'outOfPlaces',
    since: iso(-5),
    evidence: [],
  },
  'a full auction, and a price out of reach': {
    stage: standing({ reason: 'auction_full', marketGap: -10_000n, feeShare: 10n }),
    code: 'priceOutOfReach',
    since: iso(-5),
    further: ['outOfPlaces'],
    evidence: [{ ...noPrice, gapPercent: '1', gapSeenAt: iso(-5) }],
  },
  'nobody has proposed it yet': {
    stage: standing({ marketGap: 9_000n, feeShare: 10n, routed: route(2_950n * million) }),
    code: 'notProposed',
    since: iso(-5),
    evidence: [],
  },
  'before the first auction': {
    stage: (stage) => stage.order(),
    code: 'waitingForAuction',
    since: iso(-10),
    evidence: [],
  },
}
