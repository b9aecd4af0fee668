import { useEffect, useState } from 'preact/hooks'
import { auctionPath, serviceUrl } from '../root.ts'
import { short, symbolOf, type TokenLike } from './amounts.ts'

/** Link to a page of this service. */
export function PageLink({ kind, id, text }: { kind: 'account' | 'order'; id: string; text?: string }) {
  return (
    <a href={serviceUrl(`${kind}s/${id}`)} title={id}>
      {text ?? <code>{short(id)}</code>}
    </a>
  )
}

export function ProgrammaticLink({ id, text }: { id: string; text: string }) {
  return <a href={serviceUrl(`programmatic/${id}`)}>{text}</a>
}

export function AuctionLink({ id, network }: { id: number; network?: string | undefined }) {
  return <a href={serviceUrl(auctionPath(id, network))}>Auction {id}</a>
}

export function TokenLink({ token, network }: { token: TokenLike; network: string }) {
  return (
    <a
      href={serviceUrl(`tokens/${token.address}?network=${encodeURIComponent(network)}`)}
      title={token.address}
    >
      <bdi>{symbolOf(token)}</bdi>
    </a>
  )
}

/** Link to the network’s explorer, or else the whole text for copying. */
export function ChainLink({
  explorer,
  kind,
  id,
}: {
  explorer: string | null | undefined
  kind: 'tx' | 'address' | 'token'
  id: string
}) {
  if (!explorer) return <code class="hash">{id}</code>
  return (
    <a href={`${explorer}/${kind}/${id}`} title={id} rel="noreferrer">
      <code>{short(id)}</code>
      <span class="unseen"> in the explorer</span>
    </a>
  )
}

const shownMs = 3_000

/**
 * Copies a text. Missing where the browser gives a page no clipboard: without https.
 * @param name such as “order id”
 */
export function CopyButton({ text, name }: { text: string; name: string }) {
  const [result, setResult] = useState<'Copied' | 'Not copied'>()
  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [result])
  if (!navigator.clipboard) return null
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult('Copied'),
      () => setResult('Not copied'),
    )
  return (
    <>
      {' '}
      <button type="button" class="plain copy" onClick={copy} aria-label={`Copy the ${name}`}>
        {result ?? 'Copy'}
      </button>
      <span class="unseen" role="status">
        {result && `${result}: the ${name}.`}
      </span>
    </>
  )
}
