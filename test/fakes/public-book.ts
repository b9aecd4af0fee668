/**
 * Answers of the staging of a public order book on Ethereum, of May 2026: an order that was sold for the
 * native coin with its trade and its competition, and an open one. The competition has fewer prices, and
 * names the open order in place of another.
 */

export const soldOrder = {
  creationDate: '2026-05-20T11:39:47Z',
  owner: '0xb37add6ac288bd3825a901cba6ec65a89f31b8cc',
  uid: '0xb2c5a5d9ef8a663bc40c0a8bb42c6883af4678d7fa39b196161cea04ee6e5e12b37add6ac288bd3825a901cba6ec65a89f31b8ccffffffff',
  availableBalance: null,
  executedBuyAmount: '1935815',
  executedSellAmount: '1000000000000000',
  executedSellAmountBeforeFees: '1000000000000000',
  executedFeeAmount: '0',
  executedFee: '90807291931580',
  executedFeeToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  invalidated: false,
  status: 'fulfilled',
  class: 'limit',
  settlementContract: '0xf553d092b50bdcbdded1a99af2ca29fbe5e2cb13',
  ethflowData: {
    userValidTo: 1779278959,
    refundTxHash: null,
    isRefunded: false,
  },
  onchainOrderData: {
    sender: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
    placementError: null,
  },
  onchainUser: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  isLiquidityOrder: false,
  fullAppData:
    '{"appCode":"CoW Swap","environment":"pr","metadata":{"orderClass":{"orderClass":"market"},"quote":{"slippageBips":517,"smartSlippage":true}},"version":"1.14.0"}',
  sellToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  buyToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  receiver: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  sellAmount: '1000000000000000',
  buyAmount: '1843334',
  validTo: 4294967295,
  appData: '0x5405c99b1a9aa67f0a5be8bb22ba95059c748b0fa2728d702a060bae0979b8ac',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'eip1271',
  signature: '0xb37add6ac288bd3825a901cba6ec65a89f31b8cc',
  interactions: {
    pre: [
      {
        target: '0xb37add6ac288bd3825a901cba6ec65a89f31b8cc',
        value: '0',
        callData: '0x4c84c1c8',
      },
    ],
    post: [],
  },
} as const

export const openOrder = {
  creationDate: '2026-05-29T13:34:01.173158Z',
  owner: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  uid: '0x71622d8563a51e03b4f32cfaa8c6e80c6fd6a22eeacf1a00d41309326ba7f13afb3c7eb936caa12b5a884d612393969a557d43076bfb1da4',
  availableBalance: null,
  executedBuyAmount: '0',
  executedSellAmount: '0',
  executedSellAmountBeforeFees: '0',
  executedFeeAmount: '0',
  executedFee: '0',
  executedFeeToken: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  invalidated: false,
  status: 'open',
  class: 'limit',
  settlementContract: '0xf553d092b50bdcbdded1a99af2ca29fbe5e2cb13',
  isLiquidityOrder: false,
  fullAppData:
    '{"appCode":"CoW Swap","environment":"pr","metadata":{"orderClass":{"orderClass":"limit"},"quote":{"slippageBips":0}},"version":"1.14.0"}',
  quote: {
    gasAmount: '355981',
    gasPrice: '1469234651',
    sellTokenPrice: '501011728.05327892303466796875',
    sellAmount: '2000000',
    buyAmount: '2000044',
    feeAmount: '1043927',
    solver: '0x01246d541e732d7f15d164331711edff217e4665',
    verified: true,
    metadata: null,
  },
  sellToken: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  buyToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  receiver: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  sellAmount: '2000000',
  buyAmount: '10000000',
  validTo: 1811619236,
  appData: '0xbc9e102748829db8395db85375d62375efe09b7109bc3aab8c12518fa22fe459',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'eip712',
  signature:
    '0x783f2227c3a4c0d7fd34b813c03f1f2f0fc6e20aab1dd09e243e30b2f5ca85250c5b02b84cca40dd76001fb268b143f4ad8426b902fcb18d1b04f43a3189b7961c',
  interactions: {
    pre: [],
    post: [],
  },
} as const

export const soldTrade = {
  blockNumber: 25136206,
  logIndex: 194,
  orderUid:
    '0xb2c5a5d9ef8a663bc40c0a8bb42c6883af4678d7fa39b196161cea04ee6e5e12b37add6ac288bd3825a901cba6ec65a89f31b8ccffffffff',
  buyAmount: '1935815',
  sellAmount: '1000000000000000',
  sellAmountBeforeFees: '1000000000000000',
  owner: '0xb37add6ac288bd3825a901cba6ec65a89f31b8cc',
  buyToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  sellToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  txHash: '0x4cda04d9e5872969256306c98540279f10a822a718e85d46d535c50c2555fe2d',
  executedProtocolFees: [
    {
      policy: {
        priceImprovement: {
          factor: 0.5,
          maxVolumeFactor: 0.0098,
          quote: {
            sellAmount: '1000000000000000',
            buyAmount: '2129158',
            fee: '86860608167233',
          },
        },
      },
      amount: '0',
      token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    },
    {
      policy: {
        volume: {
          factor: 0.0002,
        },
      },
      amount: '387',
      token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    },
  ],
} as const

export const soldCompetition = {
  auctionId: 15567158,
  auctionStartBlock: 25136204,
  auctionDeadlineBlock: 25136208,
  transactionHashes: ['0x4cda04d9e5872969256306c98540279f10a822a718e85d46d535c50c2555fe2d'],
  referenceScores: {
    '0x01246d541e732d7f15d164331711edff217e4665': '0',
  },
  auction: {
    orders: [
      '0xb2c5a5d9ef8a663bc40c0a8bb42c6883af4678d7fa39b196161cea04ee6e5e12b37add6ac288bd3825a901cba6ec65a89f31b8ccffffffff',
      '0x71622d8563a51e03b4f32cfaa8c6e80c6fd6a22eeacf1a00d41309326ba7f13afb3c7eb936caa12b5a884d612393969a557d43076bfb1da4',
    ],
    prices: {
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': '470130624524671518450384896',
      '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2': '1000000000000000000',
      '0xdac17f958d2ee523a2206206994597c13d831ec7': '469756779058904223361007616',
    },
  },
  solutions: [
    {
      solverAddress: '0x01246d541e732d7f15d164331711edff217e4665',
      score: '43660090838357',
      ranking: 1,
      clearingPrices: {
        '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': '909374373239365',
        '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2': '1936201',
      },
      orders: [
        {
          id: '0xb2c5a5d9ef8a663bc40c0a8bb42c6883af4678d7fa39b196161cea04ee6e5e12b37add6ac288bd3825a901cba6ec65a89f31b8ccffffffff',
          sellAmount: '1000000000000000',
          buyAmount: '1935815',
          buyToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
          sellToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
        },
      ],
      isWinner: true,
      filteredOut: false,
      txHash: '0x4cda04d9e5872969256306c98540279f10a822a718e85d46d535c50c2555fe2d',
      referenceScore: '0',
    },
  ],
} as const
