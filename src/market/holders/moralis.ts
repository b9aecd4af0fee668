import { chains } from '../../domain/network/chains.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'
import { type HolderSource, maxHolders, statusFault } from '../token-source.ts'
import { entriesIn, type HolderProvider, toHolders } from './holder-list.ts'

/** The limit for a hundred holders, each with fields that are not read. */
const maxBytes = 524_288

/** Creates a source from Moralis, or a service with its API; undefined if it does not support the chain. */
export function createMoralis({
  name,
  url = 'https://deep-index.moralis.io/api/v2.2',
  apiKey,
  network,
  now,
}: HolderProvider): HolderSource | undefined {
  const chain = chains.get(network.chainId)?.moralis
  if (chain === undefined) return undefined
  const peer = { name, url, now, headers: { 'X-API-Key': apiKey }, maxBytes }
  return {
    name,
    async find(token, signal) {
      const query = { chain, order: 'DESC', limit: String(maxHolders) }
      const { status, body } = await exchangeJson(peer, { path: `/erc20/${token}/owners`, query }, signal)
      if (status !== 200) throw statusFault(name, status)
      const entries = entriesIn(name, isObject(body) ? body.result : undefined)
      const listed = entries.map(({ owner_address: address, balance }) => ({ address, balance }))
      return toHolders(name, listed)
    },
  }
}
