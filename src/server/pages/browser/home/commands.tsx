import type { HomeResult } from '../documents.generated.ts'
import { at } from '../root.ts'
import { Section } from '../view/section.tsx'

/** What a developer tries first, at this address. */
export function Commands({ networks }: { networks: HomeResult['networks'] }) {
  const network = networks[0]?.name ?? 'NETWORK'
  const ask = JSON.stringify({ query: '{ orders(first: 3) { nodes { uid status } } }' })
  const commands = [
    ['The newest orders', `curl -s ${at('graphql')} -H 'content-type: application/json' -d '${ask}'`],
    ['What a token is worth', `curl -s ${at(`${network}/tokens/-/usdPrice`)}`],
    ['What is up', `curl -s ${at('health/ready')}`],
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
        <a href={at('graphql')}>GraphiQL</a>, to ask anything; <a href={at('docs')}>the REST interface</a>, to
        be tried out.
      </p>
    </Section>
  )
}
