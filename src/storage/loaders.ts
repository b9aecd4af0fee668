import DataLoader from 'dataloader'
import type { Diagnosis } from '../domain/diagnosis/diagnosis.ts'
import type { Address } from '../domain/evm/address.ts'
import type { PriceHistory, PriceInterval } from '../domain/token/price-history.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import type { Sourced } from '../domain/token/sourced.ts'
import type { Token, TokenHolder } from '../domain/token/token.ts'
import type { TokenKey } from './models/keyed.ts'
import { type ContextJson, type StoredFacts, toFacts } from './order/diagnosis-facts.ts'

/**
 * Reads one value for each of several tokens of a chain. Unknown values are missing from the map; an error
 * concerns its token only.
 */
export type ReadTokens<Value> = (
  chainId: number,
  addresses: readonly Address[],
) => Promise<Map<Address, Value | Error>>

/** Reads that need more than the database. */
interface TokenReads {
  tokens: ReadTokens<Token>
  usdPrices: ReadTokens<Sourced<string>>
  histories: Record<PriceInterval, ReadTokens<Sourced<PriceHistory>>>
  topHolders: ReadTokens<Sourced<readonly TokenHolder[]>>
  nativeRates: ReadTokens<NativeRate>
  /** The same for balances, of which a page has more: each is charged. */
  ofBalances: { usdPrices: ReadTokens<Sourced<string>>; nativeRates: ReadTokens<NativeRate> }
  /** Diagnoses in the order of the facts. */
  diagnoses(chainId: number, facts: readonly StoredFacts[]): Promise<Diagnosis[]>
}

/** A read order whose diagnosis is requested. */
export interface DiagnosisKey {
  chainId: number
  /** Value of `diagnosisFacts`. */
  facts: ContextJson
}

export type Loaders = ReturnType<typeof createLoaders>

/** Reads many keys at once, in their order. */
type Read<Key, Value> = (keys: readonly Key[]) => Promise<(Value | Error)[]>

/**
 * Loaders that batch the keys of one tick into one read. Create them for each request: they cache their
 * reads. `proceed` throws when the request must stop reading.
 */
export function createLoaders(outside: TokenReads, proceed: () => void) {
  const loader = <Key, Value, CacheKey = Key>(
    read: Read<Key, Value>,
    options?: DataLoader.Options<Key, Value, CacheKey>,
  ): DataLoader<Key, Value, CacheKey> =>
    new DataLoader(async (keys) => {
      proceed()
      return read(keys)
    }, options)
  const tokenLoader = <Value>(read: ReadTokens<Value>) =>
    loader<TokenKey, Value | undefined, string>((keys) => loadTokens(keys, read), {
      cacheKeyFn: ({ chainId, address }) => `${chainId}:${address}`,
    })

  return {
    token: tokenLoader(outside.tokens),
    usdPrice: tokenLoader(outside.usdPrices),
    history: {
      fiveMinutes: tokenLoader(outside.histories.fiveMinutes),
      oneDay: tokenLoader(outside.histories.oneDay),
    },
    topHolders: tokenLoader(outside.topHolders),
    nativeRate: tokenLoader(outside.nativeRates),
    ofBalances: {
      usdPrice: tokenLoader(outside.ofBalances.usdPrices),
      nativeRate: tokenLoader(outside.ofBalances.nativeRates),
    },
    diagnosis: loader<DiagnosisKey, Diagnosis>((keys) => loadDiagnoses(keys, outside)),
  }
}

async function loadTokens<Value>(
  keys: readonly TokenKey[],
  read: ReadTokens<Value>,
): Promise<(Value | undefined | Error)[]> {
  const chains = [...groupBy(keys, ({ chainId }) => chainId)]
  const reads = chains.map(async ([chainId, chainKeys]) => {
    const tokens = read(
      chainId,
      chainKeys.map(({ address }) => address),
    )
    // A chain that fails affects only its own tokens.
    return [chainId, await tokens.catch(toError)] as const
  })
  const byChain = new Map(await Promise.all(reads))
  return keys.map(({ chainId, address }) => {
    const tokens = byChain.get(chainId)
    return tokens instanceof Error ? tokens : tokens?.get(address)
  })
}

async function loadDiagnoses(
  keys: readonly DiagnosisKey[],
  outside: Pick<TokenReads, 'diagnoses'>,
): Promise<(Diagnosis | Error)[]> {
  const chains = [...groupBy(keys, ({ chainId }) => chainId)]
  const found = new Map<DiagnosisKey, Diagnosis | Error>()
  const reads = chains.map(async ([chainId, ofChain]) => {
    const facts = ofChain.map(({ facts }) => toFacts(facts))
    const read = await outside.diagnoses(chainId, facts).catch(toError)
    for (const [index, key] of ofChain.entries()) {
      const diagnosis = read instanceof Error ? read : read[index]
      if (diagnosis) found.set(key, diagnosis)
    }
  })
  await Promise.all(reads)
  return keys.map((key) => found.get(key) ?? new Error(`chain ${key.chainId} is not served here`))
}

function groupBy<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
