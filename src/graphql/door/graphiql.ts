import { hash } from 'node:crypto'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { Whole } from '../../http/answer.ts'
import { debugQuery } from './debug-query.ts'

/**
 * GraphiQL, all of it in one page that contacts no other host: nine megabytes, rendered when first asked for,
 * and kept.
 */
export function createGraphiql(): () => Whole {
  let page: Whole | undefined
  return () => {
    page ??= render()
    return page
  }
}

function render(): Whole {
  const text = renderGraphiQL({
    title: 'Tradegraph',
    subscriptionsProtocol: 'GRAPHQL_SSE',
    defaultQuery: debugQuery,
  })
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // Kept for a while, then asked for again by its tag.
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept',
      'Content-Security-Policy': policyOf(text),
      'Referrer-Policy': 'no-referrer',
    },
    body: Buffer.from(text),
  }
}

/**
 * Its one script and no other; the editor makes workers of what is in the page, and style sheets as it goes.
 */
function policyOf(page: string): string {
  const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ''
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
