import { amountOf } from '../view/amounts.ts'
import { TokenLink } from '../view/links.tsx'
import { FactList, Section } from '../view/section.tsx'
import type { Auction } from './auction.ts'

export function AuctionFacts({ auction }: { auction: Auction }) {
  const { network, coin, block, deadline, nativePrices } = auction
  return (
    <Section id="facts" title="The auction">
      <FactList
        facts={[
          ['Network', network?.name],
          ['Built on block', block],
          ['Last block for a settlement', deadline],
        ]}
      />
      <h3>Prices that it counted with</h3>
      <FactList
        facts={nativePrices.map(({ token, price }) => [
          <TokenLink key={token.address} token={token} network={network?.name ?? ''} />,
          // For 10^18 atoms; that of a whole token needs its decimals.
          token.decimals === null
            ? ''
            : amountOf((BigInt(price) * 10n ** BigInt(token.decimals)) / 10n ** 18n, coin),
        ])}
      />
    </Section>
  )
}
