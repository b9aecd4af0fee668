import type { WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'

/** An order as in lists: without its quote. */
export const sampleListedOrder = {
  uid: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  owner: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  receiver: null,
  sellAmount: '1000000000000000000',
  buyAmount: '2900000000',
  feeAmount: '0',
  validTo: 2000000000,
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'eip712',
  signature:
    '0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
  appData: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
  appDataHash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
  fullAppData: '{}',
  settlementContract: '0x9008d19f58aabd9ed0d60971565aa8510560ab41',
  creationDate: '2027-01-15T07:43:20Z',
  class: 'limit',
  isLiquidityOrder: false,
  status: 'fulfilled',
  invalidated: false,
  executedSellAmount: '1000000000000000000',
  executedSellAmountBeforeFees: '1000000000000000000',
  executedBuyAmount: '2940000000',
  executedFeeAmount: '0',
  executedFee: '9000000000000',
  executedFeeToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  availableBalance: null,
  fullBalanceCheck: false,
  sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  interactions: { pre: [], post: [] },
  quoteId: 5,
}

export const sampleSettledOrder = {
  ...sampleListedOrder,
  quote: {
    gasAmount: '155000',
    gasPrice: '1000000000',
    sellTokenPrice: '1',
    sellAmount: '1000000000000000000',
    buyAmount: '2950000000',
    feeAmount: '155000000000000',
    solver: '0x5050505050505050505050505050505050505050',
    verified: true,
    metadata: null,
  },
}

/** Examples for a path with a UID: an unknown one, and a malformed one. */
export const noSuchOrder: Record<string, WrittenExample> = {
  unknown: { summary: 'An unknown UID', path: { uid: sample.unknownUid }, refused: 'missing' },
  malformed: {
    summary: 'A malformed UID',
    path: { uid: '0x12' },
    refused: ['InvalidParameter', 'uid must be an order UID: 56 bytes of hex with 0x in front'],
  },
}

export const sampleDebugReport = {
  order: sampleSettledOrder,
  orderUid:
    '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  events: [
    { label: 'created', timestamp: '2027-01-15T07:43:20Z' },
    { label: 'ready', timestamp: '2027-01-15T07:43:21Z' },
    { label: 'executing', timestamp: '2027-01-15T07:43:22Z' },
    { label: 'traded', timestamp: '2027-01-15T07:43:23Z' },
  ],
  auctions: [
    {
      id: 9,
      block: 100,
      deadline: 103,
      nativePrices: {
        '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': '1000000000000000000',
        '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb': '333333333333333333333333333',
      },
      proposedSolutions: [
        {
          solutionUid: 0,
          ranking: 1,
          solver: '0x5050505050505050505050505050505050505050',
          isWinner: true,
          filteredOut: false,
          score: '1000',
          executedSell: '1000000000000000000',
          executedBuy: '2940000000',
        },
        {
          solutionUid: 1,
          ranking: 2,
          solver: '0x5050505050505050505050505050505050505050',
          isWinner: false,
          filteredOut: false,
          score: '999',
          executedSell: '1000000000000000000',
          executedBuy: '2939000000',
        },
      ],
      executions: [
        {
          executedFee: '9000000000000',
          executedFeeToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          blockNumber: 109,
          protocolFees: [{ token: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', amount: '20000000' }],
        },
      ],
      settlementAttempts: [
        {
          solver: '0x5050505050505050505050505050505050505050',
          solutionUid: 0,
          startTimestamp: '2027-01-15T07:43:22Z',
          startBlock: 101,
          deadlineBlock: 103,
          endTimestamp: '2027-01-15T07:43:23Z',
          endBlock: 102,
          outcome: 'success',
        },
      ],
      feePolicies: [{ kind: 'surplus', surplusFactor: 0.5, surplusMaxVolumeFactor: 0.01 }],
    },
  ],
  trades: [
    {
      blockNumber: 109,
      logIndex: 3,
      sellAmount: '1000000000000000000',
      sellAmountBeforeFees: '1000000000000000000',
      buyAmount: '2940000000',
      txHash: '0xabababababababababababababababababababababababababababababababab',
      auctionId: 9,
    },
  ],
}
