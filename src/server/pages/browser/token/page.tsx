import { render } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { FollowPricesResult } from '../documents.generated.ts'
import { nameInPath, serviceUrl } from '../root.ts'
import { subscribe } from '../subscription.ts'
import { amountOf, readable, symbolOf, type TokenLike } from '../view/amounts.ts'
import { Header } from '../view/header.tsx'
import { ChainLink, PageLink } from '../view/links.tsx'
import { type Line, Plot } from '../view/plot.tsx'
import { usePolled } from '../view/polled.ts'
import { DetailList, Fault, LiveState, Loading, Section } from '../view/section.tsx'
import { documents } from './documents.ts'

const intervals = { FIVE_MINUTES: 'A day', ONE_DAY: 'A month' } as const
type Interval = keyof typeof intervals

/** History of its price in dollars. */
function History({ address, network }: { address: string; network: string }) {
  const [interval, setInterval] = useState<Interval>('FIVE_MINUTES')
  const read = useCallback(
    async () =>
      (await queryService(documents.tokenHistory, { address, network, interval })).token?.priceHistory ??
      null,
    [address, network, interval],
  )
  const { value, fault } = usePolled(read)
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
      title="What it was worth"
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
      {value && last && (
        <>
          <Plot label={`US dollars for one token over time; the last was ${last.price}.`} {...shown} />
          <p class="note">Source: {value.source}</p>
        </>
      )}
      {(value === null || value?.points.length === 0) && (
        <p class="empty">No source has prices of that time.</p>
      )}
    </Section>
  )
}

function Holders({ token, network }: { token: TokenLike; network: string }) {
  const { address } = token
  const read = useCallback(
    async () => (await queryService(documents.tokenHolders, { address, network })).token?.holders ?? null,
    [address, network],
  )
  const { value, fault } = usePolled(read)
  return (
    <Section id="holders" title="Who holds the most">
      {fault !== undefined && <Fault text={fault} />}
      {value === null && <p class="empty">No source knows the holders.</p>}
      <ol>
        {value?.nodes.map(({ address, balance }) => (
          <li key={address}>
            <PageLink kind="account" id={address} />: {amountOf(balance, token)}
          </li>
        ))}
      </ol>
      {value && <p class="note">Source: {value.source}</p>}
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
  const found = answers.flatMap(({ token, coin, network }) =>
    token ? [{ network, token, coin: coin ?? { address: '', symbol: 'coins', decimals: 18 } }] : [],
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
            <Holders token={first.token} network={first.network.name} />
          </div>
        </main>
      )}
    </>
  )
}

function PriceSection({ found: { network, token, coin } }: { found: Found }) {
  const [prices, setPrices] = useState<Prices>()
  const [isLive, setIsLive] = useState(false)
  useEffect(
    () =>
      subscribe(
        documents.followPrices,
        { tokens: [address], network: network.name },
        {
          onResult({ tokenPrices }) {
            setIsLive(tokenPrices.isAvailable)
            if (tokenPrices.prices[0]) setPrices(tokenPrices.prices[0])
          },
          onLive: (isLive) => !isLive && setIsLive(false),
          onGap: () => undefined,
        },
      ),
    [network.name],
  )
  return (
    <Section id="price" title="What it is worth now" aside={<LiveState isLive={isLive} />}>
      {prices && (
        <>
          <p class="figure">
            {prices.usdPrice
              ? `$ ${readable(prices.usdPrice.price)}`
              : prices.usdPriceState === 'UNAVAILABLE'
                ? 'The sources of prices do not answer now.'
                : 'No source has a price in US dollars.'}
          </p>
          <DetailList
            facts={[
              [
                `In ${symbolOf(coin)}`,
                prices.nativePrice !== null && token.decimals !== null
                  ? readable(wholeOf(prices.nativePrice, token.decimals))
                  : prices.nativePriceState === 'UNAVAILABLE'
                    ? 'cannot be read now'
                    : 'no market leads to it',
              ],
              ['Source', prices.usdPrice?.source],
            ]}
          />
        </>
      )}
      {!prices && <p class="loading">Reading…</p>}
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
          ['Network', network.name],
          ['Contract', <ChainLink key="c" explorer={network.explorerUrl} kind="token" id={token.address} />],
          ['Decimals', token.decimals ?? 'its contract does not say'],
          ['First traded in block', token.firstTradeBlock ?? 'not traded here yet'],
          [
            'In the last auction with it',
            token.lastAuctionPrice !== null &&
              token.decimals !== null &&
              amountOf((BigInt(token.lastAuctionPrice) * 10n ** BigInt(token.decimals)) / 10n ** 18n, coin),
          ],
        ]}
      />
      <p class="note">Anybody can make a token with any name: compare the address of the contract.</p>
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

function Unknown({ onRetry }: { onRetry(): void }) {
  return (
    <main>
      <Section id="unknown" title="There is no token at this address">
        <p>No contract of a token answers there, on any network of this service. It may be an account:</p>
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
