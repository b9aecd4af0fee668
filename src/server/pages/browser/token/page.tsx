import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ask } from '../ask.ts'
import type { FollowPricesResult } from '../documents.generated.ts'
import { follow } from '../follow.ts'
import { at, nameInPath } from '../root.ts'
import { amountOf, readable, symbolOf } from '../view/amounts.ts'
import { useAsked } from '../view/asked.ts'
import { Header } from '../view/header.tsx'
import { ChainLink } from '../view/links.tsx'
import { FactList, Fault, LiveState, Loading, Section } from '../view/section.tsx'
import { documents } from './documents.ts'
import { History } from './history.tsx'
import { Holders } from './holders.tsx'

const address = nameInPath()
const wanted = new URLSearchParams(location.search).get('network')

/** The networks on which there is a contract at the address; that which the address of the page names comes first. */
async function readToken() {
  const { networks } = await ask(documents.tokenNetworks, {})
  const answers = await Promise.all(
    networks.map(async (network) => ({
      network,
      ...(await ask(documents.token, { address, network: network.name })),
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
  const { value, fault, again } = useAsked(readToken)
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
      follow(
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
          <FactList
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

/** What one token costs in coins, of what an atom costs in atoms; for people, not for amounts. */
const wholeOf = (nativePrice: string, decimals: number): string =>
  (Number(nativePrice) * 10 ** (decimals - 18)).toFixed(18)

function TokenFacts({ found: { network, token, coin }, others }: { found: Found; others: readonly Found[] }) {
  return (
    <Section id="facts" title="The token">
      <FactList
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
          <a href={at(`tokens/${address}?network=${encodeURIComponent(network.name)}`)}>
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
          <a class="button" href={at(`accounts/${address}`)}>
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
