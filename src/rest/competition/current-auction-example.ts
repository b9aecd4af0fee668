export const sampleCurrentAuction = {
  id: 10,
  block: 100,
  orders: [
    {
      uid: '0x77fe722b95c945e5622ee572f53d0437b4d59cf2dfe86d997f1d878fee3f4849f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b1',
      sellAmount: '1000000000000000000',
      buyAmount: '2900000000',
      validTo: 1_800_001_201,
      kind: 'sell',
      receiver: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      owner: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      sellToken: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
      buyToken: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
      protocolFees: [
        {
          priceImprovement: {
            factor: 0.5,
            maxVolumeFactor: 0.01,
            quote: { fee: '0', sellAmount: '0', buyAmount: '0' },
          },
        },
      ],
      created: 1_799_999_000,
      partiallyFillable: false,
      executed: '0',
      preInteractions: [],
      postInteractions: [],
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
      class: 'limit',
      appData: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
      signingScheme: 'eip712',
      signature: `0x${'00'.repeat(65)}`,
      quote: {
        sellAmount: '1000000000000000000',
        buyAmount: '0',
        fee: '0',
        solver: '0x0000000000000000000000000000000000000000',
      },
    },
  ],
  prices: {
    '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': '1000000000000000000',
    '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb': '333333333333333333333333333',
    '0xcccccccccccccccccccccccccccccccccccccccc': '166666666666666',
  },
  surplusCapturingJitOrderOwners: [],
}
