import type { Address } from '../../../../src/domain/evm/address.ts'
import { tokenAbi } from '../orders/crowd.ts'
import { callingAbi, callingToken, thief, thiefAbi } from './contracts.ts'
import { better, type Interaction, type Offer, type Solution, toSolution } from './offer.ts'

export interface DrainContext {
  settlement: Address
  vaultRelayer: Address
}

type Drain = (id: number, offer: Offer, context: DrainContext) => Promise<Solution> | Solution

/** The advantage over an honest solution in millionths, enough to win. */
const bid = 1_000n
const wantedOf = (output: bigint) => output / 2n

const call = (target: Address, callData: string, value = '0'): Interaction => ({ target, value, callData })
const transfer = ({ order, output }: Offer) =>
  call(order.buyToken, tokenAbi.encodeFunctionData('transfer', [thief, wantedOf(output)]))
const custom = (interaction: Interaction, more: object = {}) => ({
  kind: 'custom',
  internalize: false,
  ...interaction,
  allowances: [],
  inputs: [],
  outputs: [],
  ...more,
})
const allowance = (token: Address) => ({
  allowances: [{ token, spender: thief, amount: `${2n ** 255n}` }],
})

function bidding(id: number, offer: Offer, more: (solution: Solution) => Partial<Solution>): Solution {
  const solution = toSolution(id, offer, better(offer, bid))
  return { ...solution, ...more(solution) }
}

const afterwards = (id: number, offer: Offer, interaction: Interaction) =>
  bidding(id, offer, () => ({ postInteractions: [interaction] }))
const meanwhile = (id: number, offer: Offer, interaction: Interaction, more: object = {}) =>
  bidding(id, offer, ({ interactions }) => ({ interactions: [...interactions, custom(interaction, more)] }))

/** Pays a seller the swap's output and a little of the thief's own money: more than all honest solutions. */
function subsidised(id: number, offer: Offer, { settlement }: DrainContext, theft: Interaction): Solution {
  const { order, output } = offer
  const gift = order.kind === 'sell' ? 1n + output / 10_000_000n : 0n
  const solution = toSolution(id, offer, { ...offer, output: output + gift })
  const pay = call(thief, thiefAbi.encodeFunctionData('pay', [order.buyToken, settlement, gift]))
  const interactions = [custom(pay), custom(theft, allowance(order.buyToken))]
  return { ...solution, interactions: [...solution.interactions, ...interactions] }
}

/** Solutions that take the settlement contract's funds. Each is well-formed. */
export const drains: Record<string, Drain> = {
  'transfers out afterwards': (id, offer) => afterwards(id, offer, transfer(offer)),

  'transfers out before': (id, offer) => bidding(id, offer, () => ({ preInteractions: [transfer(offer)] })),

  'approves itself': (id, offer) => {
    const callData = tokenAbi.encodeFunctionData('approve', [thief, 2n ** 255n])
    return afterwards(id, offer, call(offer.order.buyToken, callData))
  },

  'takes by a named allowance': (id, offer, { settlement }) => {
    const { buyToken } = offer.order
    const values = [buyToken, settlement, wantedOf(offer.output)]
    const take = call(thief, thiefAbi.encodeFunctionData('take', values))
    return meanwhile(id, offer, take, allowance(buyToken))
  },

  'takes in the call of a token': (id, offer, { settlement }) => {
    const { buyToken } = offer.order
    const values = [buyToken, settlement, wantedOf(offer.output)]
    const take = thiefAbi.encodeFunctionData('take', values)
    const callData = callingAbi.encodeFunctionData('send', [thief, 1n, take])
    return meanwhile(id, offer, call(callingToken, callData), allowance(buyToken))
  },

  'takes the native coins': (id, offer) => afterwards(id, offer, call(thief, '0x', `${10n ** 18n}`)),

  'calls the vault relayer': (id, offer, { vaultRelayer }) => afterwards(id, offer, call(vaultRelayer, '0x')),

  // The trader gets his part, and the contract has no less than before: only the fee is gone.
  'pays itself the fee of its own order': (id, offer) => {
    const values = [thief, offer.output / 250n]
    const callData = tokenAbi.encodeFunctionData('transfer', values)
    const solution = toSolution(id, offer)
    const take = custom(call(offer.order.buyToken, callData))
    return { ...solution, interactions: [...solution.interactions, take] }
  },

  'takes in a transaction alone': (id, offer, context) => {
    const values = [offer.order.buyToken, context.settlement, wantedOf(offer.output)]
    return subsidised(id, offer, context, call(thief, thiefAbi.encodeFunctionData('takeWhenMined', values)))
  },
}
