import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A part of a page with a heading that names it. */
export function Section({
  id,
  title,
  aside,
  isKept = false,
  children,
}: {
  id: string
  title: string
  aside?: ComponentChildren
  /** Keeps its height when its contents become shorter: nothing below it moves under the reader’s eyes. */
  isKept?: boolean
  children: ComponentChildren
}) {
  const place = useRef<HTMLElement>(null)
  const width = useRef<number>(undefined)
  useLayoutEffect(() => {
    const element = place.current
    if (!isKept || !element) return
    if (element.offsetWidth !== width.current) element.style.minHeight = ''
    width.current = element.offsetWidth
    element.style.minHeight = `${element.offsetHeight}px`
  })
  return (
    <section aria-labelledby={`${id}-title`} ref={place}>
      <div class="section-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** A page whose subject is not there; it may appear. */
export function Missing({
  title,
  onRetry,
  children,
}: {
  title: string
  onRetry(): void
  children: ComponentChildren
}) {
  return (
    <main>
      <Section id="unknown" title={title}>
        {children}
        <div class="buttons">
          <button type="button" onClick={onRetry}>
            Look again
          </button>
        </div>
      </Section>
    </main>
  )
}

export function Fault({ text }: { text: string }) {
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  )
}

export const Loading = () => <p class="loading">Reading…</p>

export function LiveState({ isLive }: { isLive: boolean }) {
  return <span class={isLive ? 'state live' : 'state'}>{isLive ? 'Live' : 'Connecting…'}</span>
}

/** A table of any width; it scrolls by the keyboard too, and says so where it is wider than its place. */
export function WideTable({ label, children }: { label: string; children: ComponentChildren }) {
  const place = useRef<HTMLElement>(null)
  const [isCut, setIsCut] = useState(false)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const look = () => setIsCut(element.scrollWidth > element.clientWidth)
    const size = new ResizeObserver(look)
    size.observe(element)
    look()
    return () => size.disconnect()
  }, [children])
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="wide-table" aria-label={label} tabIndex={0} ref={place}>
        <table>{children}</table>
      </section>
      {isCut && <p class="note">The table scrolls sideways: it has more columns. →</p>}
    </>
  )
}

/** Facts by name; those without a value are left out. */
export function DetailList({
  facts,
}: {
  facts: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  return (
    <dl>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value], index) => (
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
