export const tradeOfSettled = {
  blockNumber: 109,
  logIndex: 3,
  sellAmount: '1000000000000000000',
  sellAmountBeforeFees: '1000000000000000000',
  buyAmount: '2940000000',
  orderUid:
    '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  owner: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  txHash: '0xabababababababababababababababababababababababababababababababab',
  sellToken: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  buyToken: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  executedProtocolFees: [
    {
      policy: { surplus: { factor: 0.5, maxVolumeFactor: 0.01 } },
      amount: '20000000',
      token: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
    },
  ],
}
