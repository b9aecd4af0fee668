import type { Network } from '../../src/domain/network/network.ts'
import { numbered, settlement, signingDomain, wrapped } from './order.ts'

export const sampleNetwork: Network = {
  chainId: signingDomain.chainId,
  name: 'sepolia',
  settlement,
  vaultRelayer: numbered('0e'),
  hooksTrampoline: numbered('0f'),
  ethFlows: [numbered('0c')],
  wrappedNative: wrapped,
  poolFactory: numbered('0d'),
  poolProject: 'uniswap_v2',
  baseTokens: [],
  priceAmount: 10n ** 17n,
  usdReference: null,
  holderTokens: [],
  firstBlock: 0,
  finalityBlocks: 64,
  blockTimeMs: 1_000,
}
