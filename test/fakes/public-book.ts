/**
 * Answers of the staging of a public order book on Ethereum, of May 2026, and of two quotes of a public order
 * book of the same year: all members, and all prices of the competition. Transactions:
 * 0x4cda04d9e5872969256306c98540279f10a822a718e85d46d535c50c2555fe2d,
 * 0x680919247019cb1d7f24758e4a0e13b4aa68a98ae3c674194dc3fba8a3d69687 and
 * 0x483f949929581ae9bdee43bcfc498cc11da74690b878ed579547f8c2a13d800f.
 */

/** An order that was sold for the native coin. */
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
  ethflowData: { userValidTo: 1779278959, refundTxHash: null, isRefunded: false },
  onchainOrderData: { sender: '0xfb3c7eb936caa12b5a884d612393969a557d4307', placementError: null },
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
    pre: [{ target: '0xb37add6ac288bd3825a901cba6ec65a89f31b8cc', value: '0', callData: '0x4c84c1c8' }],
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
  interactions: { pre: [], post: [] },
} as const

/** An order whose document has a permit as a hook. */
export const permitOrder = {
  creationDate: '2026-05-20T09:47:41.034892Z',
  owner: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  uid: '0x9c7ee26eb4c60f29de96a468c28f92731e62676195accf5cea7216cd5f2da03dfb3c7eb936caa12b5a884d612393969a557d43076a0d8a39',
  availableBalance: null,
  executedBuyAmount: '3842001',
  executedSellAmount: '28639632980706689867',
  executedSellAmountBeforeFees: '28639632980706689867',
  executedFeeAmount: '0',
  executedFee: '5411913511807052168',
  executedFeeToken: '0xdef1ca1fb7fbcdc777520aa7f396b4e015f497ab',
  invalidated: false,
  status: 'fulfilled',
  class: 'limit',
  settlementContract: '0xf553d092b50bdcbdded1a99af2ca29fbe5e2cb13',
  isLiquidityOrder: false,
  fullAppData:
    '{"appCode":"CoW Swap","environment":"local","metadata":{"hooks":{"pre":[{"callData":"0xd505accf000000000000000000000000fb3c7eb936caa12b5a884d612393969a557d4307000000000000000000000000c7242d167563352e2bca4d71c043fbe542db8fb2ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000000000000000000000000000000000000000000073752a93000000000000000000000000000000000000000000000000000000000000001bab2fa2396baf0972a4212f015b8db7d209caf04516569c8a1e4b7a82a4ca106304e6fca71999e01420852f159360b0c797e1002ca43ed34cf59d1056b3632cc8","dappId":"cow-swap://libs/hook-dapp-lib/permit","gasLimit":"80000","target":"0xDEf1CA1fb7FBcDC777520aa7f396b4E015F497aB"}]},"orderClass":{"orderClass":"market"},"quote":{"slippageBips":1507,"smartSlippage":true}},"version":"1.14.0"}',
  sellToken: '0xdef1ca1fb7fbcdc777520aa7f396b4e015f497ab',
  buyToken: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  receiver: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  sellAmount: '28639632980706689867',
  buyAmount: '3115122',
  validTo: 1779272249,
  appData: '0xf144321b8430a7e96b977a77d0ffc2cc19b91ca7a724c534f9b56f581656a35a',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
  signingScheme: 'eip712',
  signature:
    '0x370394474addbe2da4c1d7b16584da56e6f9aca163e607c9d9ba75de7cb9b40e1384efe2d0857f7bf3e03ca521a0c2ce36e994af843022a46a8edf3b31dd4ade1b',
  interactions: {
    pre: [
      {
        target: '0xd496f9fcfba14d7bd1e45e4840d38ad85ded14dd',
        value: '0',
        callData:
          '0x760f2a0b000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000000000020000000000000000000000000def1ca1fb7fbcdc777520aa7f396b4e015f497ab0000000000000000000000000000000000000000000000000000000000000060000000000000000000000000000000000000000000000000000000000001388000000000000000000000000000000000000000000000000000000000000000e4d505accf000000000000000000000000fb3c7eb936caa12b5a884d612393969a557d4307000000000000000000000000c7242d167563352e2bca4d71c043fbe542db8fb2ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000000000000000000000000000000000000000000073752a93000000000000000000000000000000000000000000000000000000000000001bab2fa2396baf0972a4212f015b8db7d209caf04516569c8a1e4b7a82a4ca106304e6fca71999e01420852f159360b0c797e1002ca43ed34cf59d1056b3632cc800000000000000000000000000000000000000000000000000000000',
      },
    ],
    post: [],
  },
} as const

const { quote: _, ...listedOrder } = openOrder

/** The list of their account: it has no quotes. */
export const accountOrders = [listedOrder, soldOrder, permitOrder] as const

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
          quote: { sellAmount: '1000000000000000', buyAmount: '2129158', fee: '86860608167233' },
        },
      },
      amount: '0',
      token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    },
    {
      policy: { volume: { factor: 0.0002 } },
      amount: '387',
      token: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    },
  ],
} as const

export const permitTrade = {
  blockNumber: 25135648,
  logIndex: 186,
  orderUid:
    '0x9c7ee26eb4c60f29de96a468c28f92731e62676195accf5cea7216cd5f2da03dfb3c7eb936caa12b5a884d612393969a557d43076a0d8a39',
  buyAmount: '3842001',
  sellAmount: '28639632980706689867',
  sellAmountBeforeFees: '28639632980706689867',
  owner: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  buyToken: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  sellToken: '0xdef1ca1fb7fbcdc777520aa7f396b4e015f497ab',
  txHash: '0x680919247019cb1d7f24758e4a0e13b4aa68a98ae3c674194dc3fba8a3d69687',
  executedProtocolFees: [
    {
      policy: {
        priceImprovement: {
          factor: 0.5,
          maxVolumeFactor: 0.0098,
          quote: { sellAmount: '28639632980706689867', buyAmount: '4737163', fee: '5417645022013247942' },
        },
      },
      amount: '1716',
      token: '0xdac17f958d2ee523a2206206994597c13d831ec7',
    },
    {
      policy: { volume: { factor: 0.0002 } },
      amount: '768',
      token: '0xdac17f958d2ee523a2206206994597c13d831ec7',
    },
  ],
} as const

export const oldTrade = {
  blockNumber: 24675989,
  logIndex: 191,
  orderUid:
    '0x4b039cecbc90190f0924d031307965d107963542cc073c5525544c3b01706d0dfb3c7eb936caa12b5a884d612393969a557d430769b9157a',
  buyAmount: '339950421560478',
  sellAmount: '1000000',
  sellAmountBeforeFees: '1000000',
  owner: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  buyToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  sellToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  txHash: '0x483f949929581ae9bdee43bcfc498cc11da74690b878ed579547f8c2a13d800f',
  executedProtocolFees: [
    {
      policy: {
        priceImprovement: {
          factor: 0.5,
          maxVolumeFactor: 0.0098,
          quote: { sellAmount: '1000000', buyAmount: '430799874535333', fee: '147743' },
        },
      },
      amount: '0',
      token: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    },
    {
      policy: { volume: { factor: 0.0002 } },
      amount: '68003685049',
      token: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    },
  ],
} as const

/** The trades of their account, the newest first. */
export const accountTrades = [soldTrade, permitTrade, oldTrade] as const

export const soldCompetition = {
  auctionId: 15567158,
  auctionStartBlock: 25136204,
  auctionDeadlineBlock: 25136208,
  transactionHashes: ['0x4cda04d9e5872969256306c98540279f10a822a718e85d46d535c50c2555fe2d'],
  referenceScores: { '0x01246d541e732d7f15d164331711edff217e4665': '0' },
  auction: {
    orders: [
      '0xb2c5a5d9ef8a663bc40c0a8bb42c6883af4678d7fa39b196161cea04ee6e5e12b37add6ac288bd3825a901cba6ec65a89f31b8ccffffffff',
      '0x778560099c2a5bbb94ac7d09fbe2a4ee4a87502478d4171d9240b1d5dfd201eb9fa3c00a92ec5f96b1ad2527ab41b3932efeda586a16cbaa',
    ],
    prices: {
      '0x0d438f3b5175bebc262bf23753c1e53d03432bde': '25916305091054864',
      '0x10ea9e5303670331bdddfa66a4cea47dae4fcf3b': '7329377964504402362368',
      '0x18084fba666a33d37592fa2633fd49a74dd93a88': '36378092692866408448',
      '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599': '363140594026729957323301715968',
      '0x249ca82617ec3dfb2589c4c17ab7ec9765350a18': '13118150162',
      '0x3432b6a60d23ca0dfca7761b7ab56459d9c964d0': '195736699233986',
      '0x45804880de22913dafe09f4980848ece6ecbaf78': '2112473423004597248',
      '0x57ab1ec28d129707052df4df418d58a2d46d5f51': '325720562847203',
      '0x5afe3855358e112b5647b952709e6165e1c1eeee': '63297069357155',
      '0x5c6ee304399dbdb9c8ef030ab642b10820db8f56': '393076393161452',
      '0x65c4c0517025ec0843c9146af266a2c5a2d148a2': '9720882969440378',
      '0x6810e776880c02933d47db1b9fc05908e5386b96': '56006192920475064',
      '0x690031313d70c2545357f4487c6a3f134c434507': '7551005587537945600',
      '0x6985884c4392d348587b19cb9eaaf157f13271cd': '629361855399519',
      '0x72e4f9f808c49a2a61de9c5896298920dc4eeea9': '84879649922297165250560',
      '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0': '1234616091882407168',
      '0x810908b285f85af668f6348cd8b26d76b3ec12e1': '1732939834338601336832',
      '0x812ba41e071c7b7fa4ebcfb62df5f45f6fa853ee': '43638947783161430016',
      '0x81f8f0bb1cb2a06649e51913a151f0e7ef6fa321': '183622055561441',
      '0x826180541412d574cf1336d22c0c0a287822678a': '107762521082055',
      '0x8c7ac134ed985367eadc6f727d79e8295e11435c': '11455081629',
      '0x9e18d5bab2fa94a6a95f509ecb38f8f68322abd3': '2262146305817891045376',
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': '470130624524671518450384896',
      '0xa1290d69c65a6fe4df752f95823fae25cb99e5a7': '1067799908815572096',
      '0xa21af1050f7b26e0cff45ee51548254c41ed6b5c': '12299806',
      '0xa43d9f9982ba219e8cbc442aec1304ad014caaa5': '12544269592924657664',
      '0xac3e018457b222d93114458476f3e3416abbe38f': '1155633831701332992',
      '0xac9bb427953ac7fddc562adca86cf42d988047fd': '32385205883',
      '0xb50721bcf8d664c30412cfbc6cf7a15145234ad1': '53017622539950',
      '0xba100000625a3754423978a60c9317c58a424e3d': '66730196062567',
      '0xba3335588d9403515223f109edc4eb7269a9ab5d': '186556449911',
      '0xbaac2b4491727d78d2b78815144570b9f2fe8899': '218863113752',
      '0xbf4a2ddaa16148a9d0fa2093ffac450adb7cd4aa': '23932550598290599667826688',
      '0xc011a73ee8576fb46f5e1c5751ca3b9fe0af2a6f': '149196676508120',
      '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2': '1000000000000000000',
      '0xc770eefad204b5180df6a14ee197d99d808ee52d': '2823179501267',
      '0xca530408c3e552b020a2300debc7bd18820fb42f': '1140253',
      '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf': '363748201226092368163837575168',
      '0xd31a59c85ae9d8edefec411d448f90841571b89c': '39857973181994776634851328',
      '0xd9fcd98c322942075a5c3860693e9f4f03aae07b': '617494068704969',
      '0xdac17f958d2ee523a2206206994597c13d831ec7': '469756779058904223361007616',
      '0xdb4e144234b65eb147acf1694cbdccf3381af438': '8369645085',
      '0xdef1ca1fb7fbcdc777520aa7f396b4e015f497ab': '77812591456530',
      '0xf976fc699eb81a302a29bac6590d1565e8e5da0d': '2778267415518',
      '0xff20817765cb7f73d4bde2e66e067e58d11095c2': '393242718433',
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

/** A quote for 317,204 DAI with a permit as a hook in its document. */
export const permitQuote = {
  quote: {
    sellToken: '0x6b175474e89094c44da98b954eedeac495271d0f',
    buyToken: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    receiver: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
    sellAmount: '317204814000482464383280',
    buyAmount: '157816891535942031188',
    validTo: 1771249538,
    appData:
      '{"appCode":"CoW Swap","environment":"production","metadata":{"hooks":{"pre":[{"callData":"0x8fcbaf0c000000000000000000000000da5f16f4ab0410096a4403e7223988649fac38cf000000000000000000000000c92e8bdf79f0507f65a392b0ab4667716bfe011000000000000000000000000000000000000000000000000000000000000000250000000000000000000000000000000000000000000000000000000072fabfbd0000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000001bc69041a5b4703e6f96480679a04ebb8adca12aa03e6d8f7bbbdb8467cdb0afc74bf6a9c150500aff2f25c070b220c1de0de702c6ec70dabfe7126d634548bbdd","dappId":"cow-swap://libs/hook-dapp-lib/permit","gasLimit":"80000","target":"0x6B175474E89094C44Da98b954EedeAC495271d0F"}]},"orderClass":{"orderClass":"market"},"quote":{"slippageBips":200,"smartSlippage":false},"utm":{"utmSource":"imtoken"}},"version":"1.14.0"}',
    appDataHash: '0x96e951e996be0344c9d1a268449e318c24bb62134e8d644f1b1c1511612284ef',
    feeAmount: '115999517535616720',
    gasAmount: '236558.0000000000',
    gasPrice: '181514322.0000000',
    sellTokenPrice: '0.0004953452562941344',
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    signingScheme: 'eip712',
  },
  from: '0xfb3c7eb936caa12b5a884d612393969a557d4307',
  expiration: '2026-02-16T13:17:38.649008980Z',
  id: 1081297372,
  verified: true,
  protocolFeeBps: '2',
} as const

const openDocument = { fullAppData: openOrder.fullAppData } as const

const openStatus = { type: 'active' } as const

const nativePrice = { price: 1 } as const

export const totalSurplus = { totalSurplus: '62830276615427648' } as const

const version = 'main@2193c8c69c65c7d439d63e0e34f6bdb587dd4970' as const

const account = openOrder.owner
const { transactionHashes } = soldCompetition

/** The public answers by method and path. The account's list is that of the first page. */
export const publicAnswers = {
  [`GET /api/v1/orders/${openOrder.uid}`]: openOrder,
  [`GET /api/v1/orders/${openOrder.uid}/status`]: openStatus,
  [`GET /api/v1/account/${account}/orders?offset=0&limit=1000`]: accountOrders,
  [`GET /api/v1/transactions/${transactionHashes[0]}/orders`]: [soldOrder],
  [`GET /api/v1/trades?owner=${account}`]: accountTrades,
  [`GET /api/v2/solver_competition/${soldCompetition.auctionId}`]: soldCompetition,
  [`GET /api/v2/solver_competition/by_tx_hash/${transactionHashes[0]}`]: soldCompetition,
  [`GET /api/v1/app_data/${openOrder.appData}`]: openDocument,
  [`GET /api/v1/token/${soldOrder.sellToken}/native_price`]: nativePrice,
  [`GET /api/v1/users/${account}/total_surplus`]: totalSurplus,
  'GET /api/v1/version': version,
  'POST /api/v1/quote': permitQuote,
} as const
