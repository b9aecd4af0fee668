import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { maskError } from '../errors/mask.ts'
import { isFinalStatus, requestStatus } from '../errors/status.ts'
import { inputArgument } from '../input/input-type.ts'
import { OrderRef, PlaceOrderErrorRef, PlaceOrderResultRef, PlaceOrdersPayloadRef } from '../refs.ts'
import { maxPlacedOrders, placeOrdersInput } from './creation-input.ts'
import { placeOrderOnce, storedOrder } from './place-order.ts'

PlaceOrdersPayloadRef.implement({
  description: 'What became of orders that were sent together.',
  fields: (t) => ({
    results: t.expose('results', {
      type: [PlaceOrderResultRef],
      description: 'One for each order, in the order of the input.',
      extensions: { items: maxPlacedOrders },
    }),
  }),
})

PlaceOrderResultRef.implement({
  description: 'What became of one of several orders: either the order or an error.',
  fields: (t) => ({
    index: t.expose('index', { type: 'Uint32', description: 'Its place in the input, from 0.' }),
    order: t.field({
      type: OrderRef,
      nullable: true,
      description: 'The order as it is stored; null when it was refused.',
      resolve: ({ uid }, _args, context, info) => (uid ? storedOrder(uid, context, info) : null),
    }),
    error: t.field({
      type: PlaceOrderErrorRef,
      nullable: true,
      description: 'Why it was refused; null when it is stored.',
      resolve: ({ index, error }) => (error ? { index, error } : null),
    }),
  }),
})

PlaceOrderErrorRef.implement({
  description: 'Why one of several orders was refused, as placeOrder would have refused it.',
  fields: (t) => ({
    code: t.string({
      description: 'One of the closed list that extensions.code is of.',
      resolve: ({ error }) => String(error.extensions.code),
    }),
    message: t.string({
      description: 'For people; names what to change.',
      resolve: ({ error }) => error.message,
    }),
    field: t.string({
      nullable: true,
      description: 'The field of the order that is at fault; null when it is none of them.',
      resolve: ({ error }) => (error.extensions.field as string | undefined) ?? null,
    }),
    retryable: t.boolean({
      description: 'Whether the same order can be accepted later.',
      resolve: ({ error }) => error.extensions.retryable === true,
    }),
    index: t.expose('index', { type: 'Uint32', description: 'The order’s place in the input, from 0.' }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Details of some codes, as in extensions.data.',
      resolve: ({ error }) => error.extensions.data ?? null,
    }),
  }),
})

builder.mutationField('placeOrders', (t) =>
  t.field({
    type: PlaceOrdersPayloadRef,
    description:
      'Checks and stores signed orders, each by itself: one that is refused does not keep others from being stored.',
    extensions: { chargedFor: 'orders' },
    args: { input: inputArgument(t.arg, placeOrdersInput, 'The orders.') },
    async resolve(_root, { input: { network, orders } }, context) {
      const trading = tradingOn(context, network)
      const results = orders.map(async (order, index) => {
        try {
          if ('refusal' in order) throw order.refusal
          return { index, uid: await placeOrderOnce(order.creation, trading, context) }
        } catch (error) {
          const masked = maskError(error, context.log, context.requestId)
          if (!isFinalStatus(requestStatus(masked))) context.markIncomplete?.()
          return { index, error: masked }
        }
      })
      return { results: context.countItems(await Promise.all(results)) }
    },
  }),
)
