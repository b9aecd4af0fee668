import { render } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { FollowPricesResult } from '../documents.generated.ts'
import { nameInPath, serviceUrl } from '../root.ts'
import { subscribe } from '../subscription.ts'
import {
  amountOf,
  coinPriceDown,
  dollars,
  readable,
  sourceWords,
  symbolOf,
  unnamedCoin,
} from '../view/amounts.ts'
import { contractOf, networkText } from '../view/contracts.ts'
import { Header } from '../view/header.tsx'
import { ChainLink, PageLink } from '../view/links.tsx'
import { type Line, Plot } from '../view/plot.tsx'
import { usePolled } from '../view/polled.ts'
import { DetailList, Fault, LiveState, Loading, Section } from '../view/section.tsx'
import { documents } from './documents.ts'

const intervals = { FIVE_MINUTES: 'Day', ONE_DAY: 'Month' } as const
type Interval = keyof typeof intervals

/** History of the token’s price in dollars. */
function History({ address, network }: { address: string; network: string }) {
  const [interval, setInterval] = useState<Interval>('FIVE_MINUTES')
  const read = useCallback(
    async () =>
      (await queryService(documents.tokenHistory, { address, network, interval })).token?.priceHistory ??
      null,
    [address, network, interval],
  )
  const { value, fault } = usePolled(read, 0, false)
  const shown = useMemo(() => {
    const points = value?.points ?? []
    const lines: Line[] = [
      {
        label: 'US dollars for one token',
        values: points.map(({ price }) => Number(price)),
        color: '--accent',
      },
    ]
    return { times: points.map(({ at }) => Date.parse(at) / 1_000), lines }
  }, [value])
  const last = value?.points.at(-1)
  return (
    <Section
      id="history"
      title="Price history"
      aside={
        <div class="buttons">
          {Object.entries(intervals).map(([name, text]) => (
            <button
              key={name}
              type="button"
              class="plain"
              aria-pressed={name === interval}
              onClick={() => setInterval(name as Interval)}
            >
              {text}
            </button>
          ))}
        </div>
      }
    >
      {fault !== undefined && <Fault text={fault} />}
      {value === undefined && fault === undefined && <Loading />}
      {value && last && (
        <>
          <Plot
            label={`US dollars for one token over time; the last was ${dollars(last.price)}.`}
            {...shown}
          />
          <p class="note">Source: {sourceWords(value.source)}</p>
        </>
      )}
      {(value === null || value?.points.length === 0) && (
        <p class="empty">No source has prices for this time.</p>
      )}
    </Section>
  )
}

/** Addresses without a key: what they hold is out of use. */
const burned = [`0x${'00'.repeat(20)}`, '0x000000000000000000000000000000000000dead']

/** Names of known addresses on a network, besides pools. */
function nameOf(holder: string, { network, token }: Found): string | undefined {
  if (burned.includes(holder)) return 'Burned'
  if (holder === token.address) return 'The token’s own contract'
  const { wrappedNative } = network
  if (holder === wrappedNative.address) return `The contract of ${symbolOf(wrappedNative)}`
  const name = contractOf(holder, [network])?.name
  return name && `${name[0]?.toUpperCase()}${name.slice(1)}`
}

function Holders({ found }: { found: Found }) {
  const { token, network } = found
  const { address } = token
  const { name } = network
  const read = useCallback(
    async () =>
      (await queryService(documents.tokenHolders, { address, network: name })).token?.holders ?? null,
    [address, name],
  )
  const { value, fault } = usePolled(read, 0, false)
  const readPools = useCallback(async () => {
    const addresses = value?.nodes.map(({ address }) => address) ?? []
    if (addresses.length === 0) return []
    const { network } = await queryService(documents.poolsAt, { addresses, network: name })
    return network.pools?.nodes ?? []
  }, [value, name])
  const pools = usePolled(readPools, 0, false).value
  const labelOf = (holder: string) => {
    const pool = pools?.find(({ address }) => address === holder)
    return pool ? `Pool ${symbolOf(pool.token0)}/${symbolOf(pool.token1)}` : nameOf(holder, found)
  }
  return (
    <Section id="holders" title="Largest holders">
      {fault !== undefined && <Fault text={fault} />}
      {value === undefined && fault === undefined && <Loading />}
      {value === null && <p class="empty">No source has the holders.</p>}
      <ol>
        {value?.nodes.map(({ address, balance }) => {
          const label = labelOf(address)
          return (
            <li key={address}>
              {label && (
                <>
                  <bdi>{label}</bdi>,{' '}
                </>
              )}
              <PageLink kind="account" id={address} />: {amountOf(balance, token)}
            </li>
          )
        })}
      </ol>
      {value && <p class="note">Source: {sourceWords(value.source)}</p>}
    </Section>
  )
}

const address = nameInPath()
const wanted = new URLSearchParams(location.search).get('network')

/** The networks with a contract at the address, the one in the page's address first. */
async function readToken() {
  const { networks } = await queryService(documents.tokenNetworks, {})
  const answers = await Promise.all(
    networks.map(async (network) => ({
      network,
      ...(await queryService(documents.token, { address, network: network.name })),
    })),
  )
  const found = answers.flatMap(({ token, coin, network, traded }) =>
    token ? [{ network, token, coin: coin ?? unnamedCoin, traded: traded?.tokens.nodes ?? [] }] : [],
  )
  return found.toSorted((a, b) => Number(b.network.name === wanted) - Number(a.network.name === wanted))
}

type Found = Awaited<ReturnType<typeof readToken>>[number]
type Prices = FollowPricesResult['tokenPrices']['prices'][number]

function TokenPage() {
  const { value, fault, again } = usePolled(readToken)
  const [first, ...others] = value ?? []
  const retry = useCallback(() => again(), [again])
  const title = first ? symbolOf(first.token) : 'Token'
  useEffect(() => {
    document.title = `${title} · Tradegraph`
  }, [title])
  return (
    <>
      <Header>
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <p class="note">
          Token <code class="hash">{address}</code>
        </p>
        {fault !== undefined && <Fault text={fault} />}
      </Header>
      {value === undefined && fault === undefined && <Loading />}
      {value && !first && <Unknown onRetry={retry} />}
      {first && (
        <main>
          <div class="column">
            <PriceSection found={first} />
            <History address={address} network={first.network.name} />
          </div>
          <div class="column">
            <TokenFacts found={first} others={others} />
            <TokenOrders found={first} />
            <Holders found={first} />
          </div>
        </main>
      )}
    </>
  )
}

function PriceSection({ found: { network, token, coin } }: { found: Found }) {
  const [prices, setPrices] = useState<Prices>()
  const [isConnected, setIsConnected] = useState(false)
  const [isAvailable, setIsAvailable] = useState(false)
  useEffect(
    () =>
      subscribe(
        documents.followPrices,
        { tokens: [address], network: network.name },
        {
          onResult({ tokenPrices }) {
            setIsAvailable(tokenPrices.isAvailable)
            if (tokenPrices.prices[0]) setPrices(tokenPrices.prices[0])
          },
          onLive: setIsConnected,
          onGap: () => undefined,
        },
      ),
    [network.name],
  )
  const hasPrice = isAvailable && (prices?.usdPrice != null || prices?.nativePrice != null)
  return (
    <Section
      id="price"
      title="Price now"
      aside={(hasPrice || !isConnected) && <LiveState isLive={isConnected} />}
    >
      {prices && (
        <>
          <p class="figure">
            {prices.usdPrice
              ? dollars(prices.usdPrice.price)
              : prices.usdPriceState === 'UNAVAILABLE'
                ? 'The price sources do not answer now.'
                : 'No source has a price in US dollars.'}
          </p>
          <DetailList
            facts={[
              [
                `In ${symbolOf(coin)}`,
                prices.nativePrice !== null && token.decimals !== null
                  ? readable(wholeOf(prices.nativePrice, token.decimals))
                  : prices.nativePriceState === 'UNAVAILABLE'
                    ? 'Not available now'
                    : 'No market reaches it',
              ],
              ['Source', prices.usdPrice && sourceWords(prices.usdPrice.source)],
            ]}
          />
        </>
      )}
      {!prices && <p class="quiet">Reading…</p>}
    </Section>
  )
}

/** Price of one token in coins, from that of an atom in atoms; for people, not for amounts. */
const wholeOf = (nativePrice: string, decimals: number): string =>
  (Number(nativePrice) * 10 ** (decimals - 18)).toFixed(18)

function TokenFacts({ found: { network, token, coin }, others }: { found: Found; others: readonly Found[] }) {
  return (
    <Section id="facts" title="The token">
      <DetailList
        facts={[
          ['Name', token.name && <bdi>{token.name.slice(0, 100)}</bdi>],
          ['Network', networkText(network)],
          ['Contract', <ChainLink key="c" explorer={network.explorerUrl} kind="token" id={token.address} />],
          ['Decimals', token.decimals ?? 'Not stated by the contract'],
          ['First traded in block', token.firstTradeBlock ?? 'Not traded here yet'],
          [
            'Price in its last auction',
            token.lastAuctionPrice !== null &&
              token.decimals !== null &&
              coinPriceDown(token.lastAuctionPrice, token.decimals, coin),
          ],
        ]}
      />
      <p class="note">Anyone can create a token with any name. Check the address of the contract.</p>
      {others.map(({ network, token }) => (
        <p key={network.name}>
          At this address on {network.name}:{' '}
          <a href={serviceUrl(`tokens/${address}?network=${encodeURIComponent(network.name)}`)}>
            <bdi>{symbolOf(token)}</bdi>
          </a>
        </p>
      ))}
    </Section>
  )
}

const maxPartners = 3

/** Links to the orders of the token: with the wrapped coin, and with the most traded tokens. */
function TokenOrders({ found: { network, token, traded } }: { found: Found }) {
  const partners = [network.wrappedNative, ...traded].filter(
    ({ address }, index, all) =>
      address !== token.address && all.findIndex((each) => each.address === address) === index,
  )
  const pairs = partners
    .slice(0, maxPartners)
    .flatMap((other) => [[token, other] as const, [other, token] as const])
  if (pairs.length === 0) return null
  const addressOf = (sell: string, buy: string) =>
    serviceUrl(`orders?${new URLSearchParams({ network: network.name, sell, buy })}`)
  return (
    <Section id="orders" title="Orders by pair">
      <ul class="plain-list">
        {pairs.map(([sell, buy]) => (
          <li key={sell.address + buy.address}>
            <a href={addressOf(sell.address, buy.address)}>
              Sell <bdi>{symbolOf(sell)}</bdi> for <bdi>{symbolOf(buy)}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Unknown({ onRetry }: { onRetry(): void }) {
  return (
    <main>
      <Section id="unknown" title="No token at this address">
        <p>No token contract answers at it on any network of this service. It may be an account.</p>
        <div class="buttons">
          <a class="button" href={serviceUrl(`accounts/${address}`)}>
            Open it as an account
          </a>
          <button type="button" class="plain" onClick={onRetry}>
            Look again
          </button>
        </div>
      </Section>
    </main>
  )
}

render(<TokenPage />, document.body)
