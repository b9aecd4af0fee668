import type { RefusalCode } from '../../domain/errors/refusal-codes.ts'
import { cancellationBody, singleCancellationBody } from '../../graphql/order/cancellation.ts'
import type { Operations } from '../openapi/operation.ts'
import { cancelledText } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'

const codes: readonly RefusalCode[] = [
  'InvalidSignature',
  'WrongOwner',
  'OrderNotFound',
  'OnChainOrder',
  'OrderFullyExecuted',
  'AlreadyCancelled',
  'OrderExpired',
]

const twoOrders = {
  orderUids: sample.cancelled,
  signature:
    '0x33f93543665b33512074bbee51459c0483fa55c35252a2d9e558a93d29cc78d874602ef6069fb130a7316ae83cb1074e03dca7a65ca1d2cf61ffa8eb7a71fc5f1b',
  signingScheme: 'eip712',
}

const oneOrder = {
  signature:
    '0x486464e135a29638d09d95c29eb8fa1e0e4f1784db7d0fde8d1f13f61c21355664fcc3332bf5714846cbfd45aafe25e749dc1cec67a5f3bcb3292f96f5b40aa51c',
  signingScheme: 'eip712',
}

export const cancellationOperations: Operations = {
  'DELETE /api/v1/orders': {
    id: 'cancelOrders',
    summary: 'Cancel orders together',
    description:
      'Cancels all or none. The owner signs the list of UIDs as sent. A settlement that was sent, or that its solver sends, can still fill them: `X-Pending-Settlements` names it. The body is read as JSON, regardless of its Content-Type.',
    body: cancellationBody,
    answers: {
      200: {
        description: 'Every named order is cancelled.',
        schema: cancelledText,
        headers: ['X-Pending-Settlements'],
      },
    },
    codes,
    examples: {
      two: { summary: 'Two orders', body: twoOrders, answer: 'Cancelled' },
      again: {
        summary: 'The same once more',
        body: twoOrders,
        refused: [
          'AlreadyCancelled',
          'the order is cancelled already',
          {
            uid: '0x77fe722b95c945e5622ee572f53d0437b4d59cf2dfe86d997f1d878fee3f4849f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b1',
          },
        ],
      },
    },
  },
  'DELETE /api/v1/orders/:uid': {
    id: 'cancelOrder',
    summary: 'Cancel one order',
    description:
      'The owner signs the UID alone, or as a list of one. A settlement that was sent, or that its solver sends, can still fill it: `X-Pending-Settlements` names it.',
    body: singleCancellationBody,
    answers: {
      200: {
        description: 'The order is cancelled.',
        schema: cancelledText,
        headers: ['X-Pending-Settlements'],
      },
    },
    codes,
    examples: {
      one: {
        summary: 'Signed by its owner',
        path: { uid: sample.cancelledAlone },
        body: oneOrder,
        answer: 'Cancelled',
      },
      otherSigner: {
        summary: 'Signed by another account',
        path: { uid: sample.placed },
        body: {
          signature:
            '0x630a282ad5e5009ff662a7d46b7db3bb1f4b4408260b4effe997d8d5d128798339c2d3057d2f759ba867669ba480d5dbd927d80b89fd25fe797b93797d71c2b61c',
          signingScheme: 'eip712',
        },
        refused: [
          'WrongOwner',
          'signature recovers to 0xa0ec24ee760e18965220c6f3d16afad9f46fc007, the order belongs to 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          {
            uid: '0x840a6d41f06f750600f9582a16912f371bfe7dc4aaf57c697794aff797cf36a8f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b0',
            signer: '0xa0ec24ee760e18965220c6f3d16afad9f46fc007',
          },
        ],
      },
      unknown: {
        summary: 'An unknown UID',
        path: { uid: sample.unknownUid },
        body: oneOrder,
        refused: [
          'OrderNotFound',
          'no order 0x1212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212 on sepolia',
        ],
      },
    },
  },
}
