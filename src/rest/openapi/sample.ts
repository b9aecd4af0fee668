/**
 * Addresses, UIDs and hashes that examples share. On the local stack, examples of quotes, prices and holders work as they
 * are. A test builds the rest (a settled order, an auction, an affiliate) and replays every example.
 */
export const sample = {
  weth: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
  usdc: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
  /** Its key is public: an account of every development chain. */
  trader: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  otherTrader: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  newcomer: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  /** An affiliate, and a trader bound to its code. */
  guide: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  guided: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  /** Orders of the first trader: one that is placed, two that are cancelled together, and one that is cancelled alone. */
  placed:
    '0x840a6d41f06f750600f9582a16912f371bfe7dc4aaf57c697794aff797cf36a8f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b0',
  cancelled: [
    '0x77fe722b95c945e5622ee572f53d0437b4d59cf2dfe86d997f1d878fee3f4849f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b1',
    '0xf88b313cf171662e25a1fe2c455c5ae6b59c7a451e3c2259ef234986da1eec80f39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b2',
  ],
  cancelledAlone:
    '0x4b6312fd341690e903079025e23236a7a1ad25772a064087eb8c065b79e4380af39fd6e51aad88f6f4ce6ab8827279cfffb922666b49d6b3',
  /** An order of the other trader, settled in auction 9 by this transaction. */
  settled:
    '0xb8d5324dba0b1933165ed1dea75ac1a296070f2f44b36a1127d594e7afcbd36570997970c51812dc3a010c7d01b50e0d17dc79c877359400',
  transaction: `0x${'ab'.repeat(32)}`,
  /** The CMS key of the local stack. */
  key: 'local-cms-key-of-this-machine',
  unknownUid: `0x${'12'.repeat(56)}`,
  unknownHash: `0x${'12'.repeat(32)}`,
  emptyDocumentHash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
} as const
