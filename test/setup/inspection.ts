import { createKnownPools } from '../../src/auctions/known-pools.ts'
import { type Balance, createChain } from '../../src/chain/chain.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { createSettlementEffects } from '../../src/chain/settlement/effects.ts'
import { createSettlementSequence } from '../../src/chain/settlement/sequence.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { TestChain } from './chain.ts'

/** Services that inspect settlements over a local chain, without a program. */
export function inspectionServices(
  { rpc: whole, market: { network } }: TestChain,
  { rpc = whole, held = [] }: { rpc?: Rpc; held?: readonly Address[] } = {},
) {
  const sequence = createSettlementSequence(rpc, network)
  const reader = createChain({ rpc, network })
  const list = [...held]
  const drop = (token: Address) => {
    const index = list.indexOf(token)
    return index >= 0 && list.splice(index, 1).length > 0
  }
  const services = {
    network,
    effects: createSettlementEffects({ rpc, network, sequence, timeoutMs: 10_000 }),
    knownPools: createKnownPools(),
    heldTokens: { list: () => [...list], isReady: () => true, drop, refresh: async () => {} },
    buffers: async (tokens: readonly Address[]) =>
      (await reader.balances(tokens.map((token) => ({ owner: network.settlement, token })))).map((read) =>
        read === 'absent' ? undefined : (read as Balance).balance,
      ),
  }
  return { services, sequence }
}
