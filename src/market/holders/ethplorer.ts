import { chains } from '../../domain/network/chains.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'
import { type HolderSource, maxHolders, statusFault, tokenNonsense } from '../token-source.ts'
import { entriesIn, type HolderProvider, toHolders } from './holder-list.ts'

const maxBytes = 262_144

/** The code for "Address is not a token contract", the only error of Ethplorer that means no holders. */
const noToken = 150

/** Creates a source from Ethplorer, or a service with its API; undefined if it does not support the chain. */
export function createEthplorer({
  name,
  url,
  apiKey,
  network,
  now,
}: HolderProvider): HolderSource | undefined {
  const base = url ?? chains.get(network.chainId)?.ethplorer
  if (base === undefined) return undefined
  const peer = { name, url: base, now, maxBytes }
  return {
    name,
    async find(token, signal) {
      const query = { apiKey, limit: String(maxHolders) }
      const request = { path: `/getTopTokenHolders/${token}`, query }
      const { status, body } = await exchangeJson(peer, request, signal)
      const { error, holders } = isObject(body) ? body : {}
      if (isObject(error) && error.code === noToken) return undefined
      if (status !== 200) throw statusFault(name, status)
      if (error) throw tokenNonsense(name, 'it answers with an error')
      const entries = entriesIn(name, holders)
      // Both members are in atoms. `balance` may be a JSON number that lost its last digits.
      const listed = entries.map(({ address, rawBalance, balance }) => ({
        address,
        balance: rawBalance ?? balance,
      }))
      return toHolders(name, listed)
    },
  }
}
