import type { Example } from '../../../src/rest/openapi/operation.ts'
import type { Described } from '../../../src/rest/openapi/path-item.ts'
import type { Answer } from '../../setup/trader.ts'

/** Sends an example's request unchanged. */
export async function replay(url: string, { row, family }: Described, example: Example): Promise<Answer> {
  const [method = '', path = ''] = row.on.split(' ')
  const segments: Record<string, string> = { network: 'sepolia', ...example.path }
  const below = family === 'orderBook' ? `/:network${path}` : path
  const target = below.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(segments[name] ?? ''))
  const query = new URLSearchParams(example.query).toString()
  const response = await fetch(`${url}${target}${query && `?${query}`}`, {
    method,
    headers: {
      ...(example.body !== undefined && { 'content-type': 'application/json' }),
      ...example.headers,
    },
    ...(example.body !== undefined && { body: JSON.stringify(example.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}
