import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { Time } from './times.tsx'

export interface Line {
  label: string
  values: readonly (number | null)[]
  /** A custom property of the style sheet. */
  color: '--accent' | '--bad'
  isDashed?: boolean
}

interface Props {
  /** Content in words, for readers who do not see it. */
  label: string
  /** Unix seconds, the oldest first. */
  times: readonly number[]
  lines: readonly Line[]
}

const height = 220
const maxRows = 24

const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 })

/** Lines over time, with a table of the same data. */
export function Plot({ label, times, lines }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    let plot: UPlot | undefined
    // The canvas has no style sheet: it is redrawn in the colors of the other scheme.
    const draw = () => {
      plot?.destroy()
      const data = [times, ...lines.map(({ values }) => values)] as UPlot.AlignedData
      plot = new UPlot(optionsFor(element, lines, times.length), data, element)
    }
    draw()
    const size = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }))
    size.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    return () => {
      size.disconnect()
      scheme.removeEventListener('change', draw)
      plot?.destroy()
    }
  }, [times, lines])

  const step = Math.max(1, Math.ceil(times.length / maxRows))
  const rows = times.map((_, index) => index).filter((index) => (times.length - 1 - index) % step === 0)
  return (
    <figure>
      <div class="plot" role="img" aria-label={label} ref={place} />
      <figcaption>
        <ul class="legend">
          {lines.map(({ label, color, isDashed }) => (
            <li key={label} class={`${color.slice(2)} ${isDashed ? 'dashed' : ''}`}>
              {label}
            </li>
          ))}
        </ul>
        <details>
          <summary>The same as a table</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.reverse().map((index) => (
                <tr key={index}>
                  <td>
                    <Time at={new Date((times[index] ?? 0) * 1_000)} />
                  </td>
                  {lines.map(({ label, values }) => (
                    <td key={label}>{values[index] == null ? '' : figures.format(values[index])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </figcaption>
    </figure>
  )
}

function optionsFor(element: HTMLElement, lines: readonly Line[], count: number): UPlot.Options {
  const style = getComputedStyle(element)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
    font: `12px ${style.fontFamily}`,
  }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_, low, high) => paddedRange(low, high) } },
    axes: [
      { ...axis, space: 80, values: (_, splits) => splits.map((seconds) => timeText(seconds, splits)) },
      { ...axis, size: 76, values: (_, splits) => splits.map((value) => figures.format(value)) },
    ],
    series: [
      {},
      ...lines.map(({ label, color: name, isDashed }) => ({
        label,
        stroke: color(name),
        width: 2,
        ...(isDashed && { dash: [6, 4] }),
        spanGaps: true,
        points: { show: count < 30 && !isDashed },
      })),
    ],
  }
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** A time of day, or a date if the marks are days apart or at the beginning of one. */
function timeText(seconds: number, marks: readonly number[]): string {
  const date = new Date(seconds * 1_000)
  const isDaily = (marks[1] ?? 0) - (marks[0] ?? 0) >= 86_400
  return isDaily || (date.getHours() === 0 && date.getMinutes() === 0) ? day.format(date) : clock.format(date)
}

/** The least height of a plot as a share of its greatest value: a smaller movement looks small. */
const minShare = 0.04

/** Some room above and below, also for a level line. */
export function paddedRange(low: number, high: number): [number, number] {
  const min = Math.max(Math.abs(low), Math.abs(high)) * minShare || 1
  const room = Math.max((high - low) * 0.1, (min - (high - low)) / 2)
  return [low - room, high + room]
}
