import { settledOrder } from './example.ts'

export const settledReport = {
  order: settledOrder,
  ...{
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
  },
}
