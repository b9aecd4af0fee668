import { useCallback, useMemo } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { PricedToken } from './columns.tsx'
import { documents } from './documents.ts'
import { usePolled } from './polled.ts'

interface TokensOfNetwork {
  coin: PricedToken['coin']
  network: {
    name: string
    tokens: { nodes: readonly Omit<PricedToken, 'network' | 'coin' | 'usdPrice' | 'isPriced'>[] }
  }
}

/** Tokens with their prices in dollars, as far as these can be read: their sources may be away. */
export function usePrices(read: TokensOfNetwork | undefined): readonly PricedToken[] | undefined {
  const network = read?.network.name
  const addresses = read?.network.tokens.nodes.map(({ address }) => address) ?? []
  const key = addresses.join()
  const readPrices = useCallback(async () => {
    if (network === undefined || key === '') return new Map<string, string | undefined>()
    const { tokens } = await queryService(documents.usdPrices, { addresses: key.split(','), network })
    return new Map(tokens.map(({ address, usdPrice }) => [address, usdPrice?.price] as const))
  }, [network, key, read])
  const { value: prices, fault } = usePolled(readPrices, 0, false)
  const hasFailed = fault !== undefined
  return useMemo(
    () =>
      read?.network.tokens.nodes.map((token) => ({
        ...token,
        network: read.network.name,
        coin: read.coin,
        usdPrice: prices?.get(token.address),
        isPriced: hasFailed || prices?.has(token.address) === true,
      })),
    [read, prices, hasFailed],
  )
}
