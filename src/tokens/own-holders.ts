import type { Block } from '../chain/chain.ts'
import { batch } from '../concurrency/batch.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import { type HolderSource, maxHolders } from '../market/token-source.ts'
import type { Db } from '../storage/database/database.ts'
import { findHeld, findHolders, type HolderProgress } from '../storage/token/holders.ts'

interface OwnHoldersOptions {
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
  /** Tokens that are requested at the same time share a statement. */
  const read = batch(
    async (tokens: readonly Address[]) => {
      const [indexes, { number }] = await Promise.all([findHolders(db, chainId, tokens, maxHolders), head()])
      return tokens.map((token) => ({ index: indexes.get(token), number }))
    },
    { maxBatch: 32, concurrency: 2 },
  )
  return {
    name,
    async find(token) {
      if (!followed.has(token)) return undefined
      const { index, number } = await read(token)
      const fault = faultOf(index, number - blocksBehind(blockTimeMs))
      if (fault) throw new Outage(name, `${token}: ${fault}`)
      return index && index.holders.length > 0 ? index.holders : undefined
    },
  }
}

function blocksBehind(blockTimeMs: number): number {
  return Math.max(maxBehind.blocks, Math.ceil(maxBehind.ms / blockTimeMs))
}

/** Tokens that an account holds, as far as the indexer follows them. */
export type OwnHolders = (owner: Address) => Promise<Address[]>

/**
 * Ascending. A token whose index is not usable now is among them, whether or not the account holds it.
 * @throws Outage
 */
export function createOwnHeldTokens({ network, db, head }: Omit<OwnHoldersOptions, 'name'>): OwnHolders {
  const { chainId, holderTokens, blockTimeMs } = network
  const followed = holderTokens.map(({ address }) => address).sort()
  const find = batch(
    async (owners: readonly Address[]) => {
      const [indexes, { number }] = await Promise.all([findHeld(db, chainId, owners), head()])
      const minBlock = number - blocksBehind(blockTimeMs)
      return owners.map((owner) =>
        followed.filter((token) => {
          const index = indexes.get(token)
          return index?.heldBy.has(owner) || faultOf(index, minBlock) !== undefined
        }),
      )
    },
    { maxBatch: 500, concurrency: 2 },
  )
  return async (owner) => (followed.length === 0 ? [] : find(owner))
}

/** Why the balances are not usable. */
function faultOf(index: HolderProgress | undefined, minBlock: number): string | undefined {
  const beingRead = 'its transfers are still being read'
  if (!index) return beingRead
  const { indexedTo, faultBlock, checkpoint } = index
  if (faultBlock !== null) return `its transfers do not add up in block ${faultBlock}`
  if (checkpoint === null || checkpoint < minBlock) return 'the index is behind the chain'
  return indexedTo === null || indexedTo < checkpoint ? beingRead : undefined
}
