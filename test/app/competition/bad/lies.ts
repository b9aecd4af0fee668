import { better, type Offer, type Solution, toSolution } from './offer.ts'

type Trick = (id: number, offer: Offer) => Solution

const unknownOrder = `0x${'77'.repeat(56)}`

/** Solutions whose claims differ from their actions. Each is well-formed. */
export const lies: Record<string, Trick> = {
  'promises more than its swap pays': (id, offer) => toSolution(id, offer, better(offer, 10_000n)),

  'takes more from the pool than it pays': (id, offer) => {
    const promised = better(offer, 10_000n)
    return toSolution(id, { ...offer, ...promised }, promised)
  },

  'keeps half of what the order gets': (id, offer) => {
    const { order, input, output } = offer
    const half = order.kind === 'sell' ? { input, output: output / 2n } : { input: input * 2n, output }
    return toSolution(id, offer, half)
  },

  'fills an order twice': (id, offer) =>
    toSolution(id, offer, { input: 2n * offer.input, output: 2n * offer.output }),

  'trades an order that nobody placed': (id, offer) => {
    const solution = toSolution(id, offer)
    return { ...solution, trades: solution.trades.map((trade) => ({ ...trade, order: unknownOrder })) }
  },

  // The protocol takes half of the surplus, up to 1 % of the volume: the order still gets the swap's output.
  'promises fees that its swap does not pay': (id, offer) => toSolution(id, offer, better(offer, 4_000n)),
}
