const auction = {
  orders: [
    '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  ],
  prices: {
    '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': '1000000000000000000',
    '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb': '333333333333333333333333333',
    '0xcccccccccccccccccccccccccccccccccccccccc': '166666666666666',
  },
}

export const sampleCompetition = {
  auctionId: 9,
  auctionStartBlock: 100,
  auctionDeadlineBlock: 103,
  transactionHashes: ['0xabababababababababababababababababababababababababababababababab'],
  referenceScores: {
    '0x5050505050505050505050505050505050505050': '999',
  },
  auction,
  solutions: [
    {
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '999',
      ranking: 2,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2939000000',
          sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
        },
      ],
      isWinner: false,
      filteredOut: false,
      txHash: null,
      referenceScore: null,
    },
    {
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '1000',
      ranking: 1,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2940000000',
          sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
        },
      ],
      isWinner: true,
      filteredOut: false,
      txHash: '0xabababababababababababababababababababababababababababababababab',
      referenceScore: '999',
    },
  ],
}

export const sampleCompetitionV1 = {
  auctionId: 9,
  transactionHashes: ['0xabababababababababababababababababababababababababababababababab'],
  auctionStartBlock: 100,
  competitionSimulationBlock: 100,
  auction,
  solutions: [
    {
      solver: '0x5050505050505050505050505050505050505050',
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '999',
      ranking: 2,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2939000000',
        },
      ],
      isWinner: false,
      filteredOut: false,
    },
    {
      solver: '0x5050505050505050505050505050505050505050',
      solverAddress: '0x5050505050505050505050505050505050505050',
      score: '1000',
      ranking: 1,
      clearingPrices: {},
      orders: [
        {
          id: '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
          sellAmount: '1000000000000000000',
          buyAmount: '2940000000',
        },
      ],
      isWinner: true,
      filteredOut: false,
    },
  ],
}
