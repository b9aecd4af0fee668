import { useCallback, useMemo, useState } from 'preact/hooks'
import { ask } from '../ask.ts'
import { useAsked } from '../view/asked.ts'
import { type Line, Plot } from '../view/plot.tsx'
import { Fault, Section } from '../view/section.tsx'
import { documents } from './documents.ts'

const intervals = { FIVE_MINUTES: 'A day', ONE_DAY: 'A month' } as const
type Interval = keyof typeof intervals

/** What it cost in dollars. */
export function History({ address, network }: { address: string; network: string }) {
  const [interval, setInterval] = useState<Interval>('FIVE_MINUTES')
  const read = useCallback(
    async () =>
      (await ask(documents.tokenHistory, { address, network, interval })).token?.priceHistory ?? null,
    [address, network, interval],
  )
  const { value, fault } = useAsked(read)
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
