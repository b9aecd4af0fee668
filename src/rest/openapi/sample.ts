/**
 * Addresses, UIDs and hashes that examples share. On the local stack, examples of quotes, prices and holders
 * work unchanged. A test creates the rest (a settled order, an auction, an affiliate) and replays every
 * example.
 */
export const sample = {
  weth: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
  usdc: '0x95bd8d42f30351685e96c62eddc0d0613bf9a87a',
  /** An account of every development chain, with a public key. */
  trader: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  otherTrader: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  newcomer: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  /** The pool of the local stack's WETH and USDC. */
  pool: '0xd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1',
  /** An affiliate, and a trader bound to its code. */
  guide: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  guided: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  /** Orders of the first trader: one placed, two cancelled together, and one cancelled alone. */
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
  key: 'the-key-of-this-deployment',
  /** Data of the first trader: a session, two channels, and the token that confirms the second channel. */
  session: 'tgs_session-of-the-first-trader',
  channel: '3b9c2f6e-5a1d-4c8e-9f70-1a2b3c4d5e6f',
  pendingChannel: '7d0e4a52-8c3b-4f19-a6e5-0f9e8d7c6b5a',
  confirmation: 'token-that-the-receiver-was-sent',
  /** The first trader's message with a nonce from the service. */
  signIn: {
    message:
      'trade.example wants you to sign in with your Ethereum account:\n0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n\n\nURI: https://trade.example\nVersion: 1\nChain ID: 11155111\nNonce: 5d1f0c8b2a7e49639b0e6c4d8f2a1b37\nIssued At: 2027-01-15T08:00:00.000Z',
    signature:
      '0xf73a87e23a4767d1c77b03b47180431e5e70436fda6ecd5b46f0d04433a00e656c352ee1593eaadcfd85e2c74026f1290fa8096f987f9212cece0ac87b3f86c61c',
  },
  nonce: '5d1f0c8b2a7e49639b0e6c4d8f2a1b37',
  unknownUid: `0x${'12'.repeat(56)}`,
  unknownHash: `0x${'12'.repeat(32)}`,
  emptyDocumentHash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
} as const
