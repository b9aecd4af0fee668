import type { Block } from '../chain/chain.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Network } from '../domain/network/network.ts'
import { type HolderSource, maxHolders } from '../market/token-source.ts'
import type { Db } from '../storage/database/database.ts'
import { findHolders, type HolderIndex } from '../storage/token/holders.ts'

export interface OwnHoldersOptions {
  name: string
  network: Pick<Network, 'chainId' | 'holderTokens' | 'blockTimeMs'>
  db: Db
  head(): Promise<Pick<Block, 'number'>>
}

/** Balances this far behind the head are too old: a minute, but at least five blocks. */
const maxBehind = { ms: 60_000, blocks: 5 }

/** Holders that the indexer computed from transfers. `undefined` if it follows no tokens of the network. */
export function createOwnHolders({ name, network, db, head }: OwnHoldersOptions): HolderSource | undefined {
  const { chainId, holderTokens, blockTimeMs } = network
  if (holderTokens.length === 0) return undefined
  const followed = new Set(holderTokens.map(({ address }) => address))
  const maxBlocksBehind = Math.max(maxBehind.blocks, Math.ceil(maxBehind.ms / blockTimeMs))
  return {
    name,
    async find(token) {
      if (!followed.has(token)) return undefined
      const [index, { number }] = await Promise.all([findHolders(db, chainId, token, maxHolders), head()])
      const fault = faultOf(index, number - maxBlocksBehind)
      if (fault) throw new Outage(name, `${token}: ${fault}`)
      return index && index.holders.length > 0 ? index.holders : undefined
    },
  }
}

/** Why the balances are not usable. */
function faultOf(index: HolderIndex | undefined, minBlock: number): string | undefined {
  const beingRead = 'its transfers are still being read'
  if (!index) return beingRead
  const { indexedTo, faultBlock, checkpoint } = index
  if (faultBlock !== null) return `its transfers do not add up in block ${faultBlock}`
  if (checkpoint === null || checkpoint < minBlock) return 'the index is behind the chain'
  return indexedTo === null || indexedTo < checkpoint ? beingRead : undefined
}
