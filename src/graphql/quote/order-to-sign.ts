import { orderTypedData } from '../../domain/signing/order-typed-data.ts'
import { orderDigest, orderUid } from '../../domain/signing/signing.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource } from '../enums.ts'
import { OrderToSignRef } from '../refs.ts'

OrderToSignRef.implement({
  description:
    'An order as its owner signs it: the twelve signed members, and what a wallet is asked to sign. Tokens are bare addresses here, since these are what is signed.',
  fields: (t) => ({
    sellToken: t.expose('sellToken', { type: 'Address', description: 'What is sold.' }),
    buyToken: t.expose('buyToken', { type: 'Address', description: 'What is bought.' }),
    receiver: t.expose('receiver', {
      type: 'Address',
      nullable: true,
      description: 'The account that gets the buy tokens: the owner where the quote named no receiver.',
    }),
    sellAmount: t.expose('sellAmount', {
      type: 'Uint256',
      description: 'In sell token atoms; of a buy order what is spent at most.',
    }),
    buyAmount: t.expose('buyAmount', {
      type: 'Uint256',
      description: 'In buy token atoms; of a sell order what is got at least, which is never 0.',
    }),
    validTo: t.expose('validTo', { type: 'Uint32', description: 'Unix seconds.' }),
    appData: t.expose('appData', { type: 'Bytes32', description: 'The hash of the appData document.' }),
    feeAmount: t.expose('feeAmount', {
      type: 'Uint256',
      description: 'Always 0: fees are within the amounts.',
    }),
    kind: t.expose('kind', { type: OrderKind, description: 'Which side is fixed.' }),
    partiallyFillable: t.exposeBoolean('partiallyFillable', { description: 'Always false.' }),
    sellTokenBalance: t.expose('sellTokenBalance', {
      type: SellTokenSource,
      description: 'Where sell tokens come from.',
    }),
    buyTokenBalance: t.expose('buyTokenBalance', {
      type: BuyTokenDestination,
      description: 'Where buy tokens go.',
    }),
    typedData: t.field({
      type: 'JSON',
      description:
        'The whole EIP-712 payload, as eth_signTypedData_v4 takes it: types, primaryType, domain, message. Amounts are decimal strings.',
      resolve: ({ domain, ...order }) => orderTypedData(domain, order),
    }),
    digest: t.field({
      type: 'Bytes32',
      description: 'What an eip712 signature signs.',
      resolve: ({ domain, ...order }) => orderDigest(domain, order),
    }),
    uid: t.field({
      type: 'OrderUid',
      description: 'The UID that the order will have.',
      resolve: ({ domain, owner, ...order }) => orderUid(domain, order, owner),
    }),
  }),
})
