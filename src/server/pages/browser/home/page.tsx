import { render } from 'preact'
import { useCallback } from 'preact/hooks'
import { ask } from '../ask.ts'
import type { HomeResult } from '../documents.generated.ts'
import { useAsked } from '../view/asked.ts'
import { PageLink } from '../view/links.tsx'
import { FactList, Fault, Loading, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { Commands } from './commands.tsx'
import { documents } from './documents.ts'
import { Search } from './search.tsx'

const readHome = () => ask(documents.home, {})
const refreshMs = 10_000

function HomePage() {
  const { value, fault } = useAsked(readHome, refreshMs)
  return (
    <>
      <header>
        <p class="brand">Tradegraph</p>
        <h1>Why is my order not filled?</h1>
        <Search networks={value?.networks ?? []} />
      </header>
      <main>
        <div class="column">
          <Section id="what" title="What this is">
            <p>
              Here orders to swap tokens are placed, filled and explained. You sign what you want to sell, and
              the least that you take for it. Programs, called <em>solvers</em>, look for the best trade on
              all markets they know and compete in an auction every few seconds. The best one trades on chain;
              the fees of the network and of the service come out of the trade. An order is filled at its
              limit or better, after these fees, or not at all: nothing is sold before.
            </p>
            <p class="note">
              An error in a wallet? Search for its text or its word, such as InsufficientAllowance, for the
              number of the order, or for your account.
            </p>
          </Section>
          <Commands networks={value?.networks ?? []} />
        </div>
        <div class="column">
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
  const read = useCallback(() => ask(documents.pulse, { network: name }), [name])
  const { value, fault } = useAsked(read, refreshMs)
  const lag = value?.meta.lag
  return (
    <div class="group">
      <div class="section-head">
        <h3>{name}</h3>
        <span class={`badge ${ready ? 'good' : 'bad'}`}>
          {ready ? 'All well' : 'Something does not answer'}
        </span>
      </div>
      {fault !== undefined && <Fault text={fault} />}
      <FactList
        facts={[
          ['Chain id', chainId],
          ['Newest block read', value?.meta.block?.number],
          ['Of', value?.meta.block?.timestamp && <Time key="t" at={value.meta.block.timestamp} isRelative />],
          ['Behind the chain', lag?.blocks != null && `${lag.blocks} blocks`],
          [
            'Last auction with an offer',
            value?.latestAuction && (
              <span key="a">
                <PageLink kind="auction" id={value.latestAuction.auctionId} />, on block{' '}
                {value.latestAuction.block}
              </span>
            ),
          ],
        ]}
      />
    </div>
  )
}

document.title = 'Tradegraph: why is my order not filled?'
render(<HomePage />, document.body)
