import { render } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { mayBeKey, secretIn } from '../../../../domain/search/secret.ts'
import { messageOf, queryService } from '../ask.ts'
import type { HomeResult } from '../documents.generated.ts'
import { serviceUrl } from '../root.ts'
import { networkText } from '../view/contracts.ts'
import { firstReading } from '../view/first-render.ts'
import { Navigation, SearchForm } from '../view/header.tsx'
import { AuctionLink } from '../view/links.tsx'
import { usePolled } from '../view/polled.ts'
import { DetailList, Fault, Loading, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'
import { find, type SearchResult } from './find.ts'
import { Found } from './found.tsx'
import { NewestOfNetwork, NewestTrading } from './newest.tsx'

/** First requests for developers, at this address. */
function Commands({ networks }: { networks: HomeResult['networks'] }) {
  const network = networks[0]?.name ?? 'NETWORK'
  const ask = JSON.stringify({ query: '{ orders(first: 3) { nodes { uid status } } }' })
  const commands = [
    ['The newest orders', `curl -s ${serviceUrl('graphql')} -H 'content-type: application/json' -d '${ask}'`],
    ['The price of a token', `curl -s ${serviceUrl(`${network}/tokens/-/usdPrice`)}`],
    ['The state of the service', `curl -s ${serviceUrl('health/ready')}`],
  ]
  return (
    <Section id="commands" title="For developers">
      {commands.map(([what, command]) => (
        <div key={what}>
          <h3>{what}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre tabIndex={0}>{command}</pre>
        </div>
      ))}
      <p>
        <a href={serviceUrl('graphql')}>GraphiQL</a> runs GraphQL queries and shows the schema. The{' '}
        <a href={serviceUrl('docs')}>REST reference</a> runs requests.
      </p>
    </Section>
  )
}

const inAddress = () => new URLSearchParams(location.search).get('q')?.trim() ?? ''

/**
 * Finds a pasted text and opens its page; several results, or none, are shown here. The page’s address
 * contains the text.
 */
function Search({ networks }: { networks: HomeResult['networks'] }) {
  const [asked, setAsked] = useState(() => ({ text: inAddress(), isInAddress: true }))
  const [result, setResult] = useState<SearchResult>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    const again = () => setAsked({ text: inAddress(), isInAddress: true })
    addEventListener('popstate', again)
    return () => removeEventListener('popstate', again)
  }, [])
  useLayoutEffect(() => {
    setFault(undefined)
    setResult(undefined)
    if (asked.text === '') return
    let isOld = false
    const answer = find(asked.text, asked.isInAddress).then(
      (found) => {
        if (isOld) return
        // Replaces the search, so that going back does not lead here again.
        if (found.kind === 'secret' || (found.kind === 'nothing' && found.mayBeKey))
          history.replaceState(null, '', serviceUrl('.'))
        if (found.kind === 'page') location.replace(serviceUrl(found.path))
        else setResult(found)
      },
      (reason) => {
        if (!isOld) setFault(messageOf(reason))
      },
    )
    // Parts below the answer wait for it.
    void firstReading(answer)
    return () => {
      isOld = true
    }
  }, [asked])
  const search = (typed: string) => {
    const text = typed.trim()
    // A secret gets into no address: the page warns of it.
    if (!secretIn(text) && !mayBeKey(text) && text !== inAddress())
      history.pushState(null, '', serviceUrl(`?q=${encodeURIComponent(text)}`))
    setAsked({ text, isInAddress: false })
  }
  return (
    <>
      <SearchForm searched={asked.text} onSearch={search} />
      <div role="status" class="column">
        {result && <Found result={result} isInAddress={asked.isInAddress} networks={networks} />}
      </div>
      {fault !== undefined && <Fault text={fault} />}
    </>
  )
}

const readHome = () => queryService(documents.home, {})
const refreshMs = 10_000

function HomePage() {
  const { value, fault } = usePolled(readHome, refreshMs)
  return (
    <>
      <header>
        <Navigation />
        <h1>Why is my order not filled?</h1>
        <Search networks={value?.networks ?? []} />
      </header>
      <main class="home">
        <div class="column">
          <NewestTrading isOnly={(value?.networks.length ?? 1) === 1} />
          <Section id="what" title="About this service">
            <p>
              This service accepts orders to swap tokens, has them filled, and explains their state. You sign
              the amount that you sell and the minimum that you accept for it. Programs, called{' '}
              <em>solvers</em>, look for the best trade on all markets they know and compete in an auction
              every few seconds. The best one trades on chain; the fees of the network and of the service come
              out of the trade. An order is filled at its limit or better, after these fees, or not at all:
              nothing is sold before.
            </p>
            <p class="note">
              An error in a wallet? Search for its text or its code, such as InsufficientAllowance, for the
              order id, or for your account.
            </p>
          </Section>
          <Commands networks={value?.networks ?? []} />
        </div>
        <div class="column">
          {value?.networks.map(({ name }) => (
            <NewestOfNetwork key={name} network={name} isOnly={value.networks.length === 1} />
          ))}
          <Section id="networks" title="Networks">
            {fault !== undefined && <Fault text={fault} />}
            {!value && fault === undefined && <Loading />}
            {value?.networks.map((network) => (
              <NetworkState key={network.chainId} network={network} />
            ))}
            {value && <p class="note">Version {value.version}</p>}
          </Section>
        </div>
      </main>
    </>
  )
}

function NetworkState({ network }: { network: HomeResult['networks'][number] }) {
  const { name, chainId, ready } = network
  const read = useCallback(() => queryService(documents.pulse, { network: name }), [name])
  const { value, fault } = usePolled(read, refreshMs, false)
  const lag = value?.meta.lag
  const reading = !value && fault === undefined && <span class="quiet">Reading…</span>
  return (
    <div class="group">
      <div class="section-head">
        <h3>{networkText(network)}</h3>
        <span class={`badge ${ready ? 'good' : 'bad'}`}>{ready ? 'Ready' : 'Not ready'}</span>
      </div>
      {fault !== undefined && <Fault text={fault} />}
      <DetailList
        facts={[
          ['Chain ID', chainId],
          [
            'Newest block',
            reading ||
              (value?.meta.block && (
                <span key="b">
                  {value.meta.block.number}
                  {value.meta.block.timestamp && (
                    <>
                      {' '}
                      <span class="note">(</span>
                      <Time at={value.meta.block.timestamp} isRelative />
                      <span class="note">)</span>
                    </>
                  )}
                </span>
              )),
          ],
          [
            'Behind the chain',
            reading || (lag?.blocks != null && `${lag.blocks} ${lag.blocks === 1 ? 'block' : 'blocks'}`),
          ],
          [
            'Latest auction',
            reading ||
              (value?.latestAuction && (
                <span key="a">
                  <AuctionLink id={value.latestAuction.auctionId} network={name} />, built on block{' '}
                  {value.latestAuction.block}
                </span>
              )),
          ],
        ]}
      />
    </div>
  )
}

document.title = 'Tradegraph: why is my order not filled?'
render(<HomePage />, document.body)
