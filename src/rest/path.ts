import { Refusal } from '../domain/error.ts'

export interface PathPattern {
  pattern: string
  method: string
  segments: string[]
}

export type Match<Endpoint> =
  | { endpoint: Endpoint; path: Record<string, string>; allow?: undefined; pattern?: undefined }
  | { endpoint?: undefined; refusal: Refusal; allow?: string; pattern?: string }

/** `GET /api/v1/orders/:uid`, below a network's segment where there is one. */
export function patternOf(on: string, belowNetwork: boolean): PathPattern {
  const [method = '', path = ''] = on.split(' ')
  const pattern = belowNetwork ? `/:network${path}` : path
  return { pattern, method, segments: pattern.split('/').slice(1) }
}

/** A segment that is written out counts before one that takes anything. */
export function literalFirst<Endpoint extends PathPattern>(endpoints: readonly Endpoint[]): Endpoint[] {
  const parameters = ({ segments }: Endpoint) => segments.filter((segment) => segment.startsWith(':')).length
  return endpoints.toSorted((a, b) => parameters(a) - parameters(b))
}

/**
 * Finds who answers, by the first pattern that fits; rows of one path write it alike. HEAD is answered like GET; a path that knows other methods only says which.
 * @param endpoints from `literalFirst`
 */
export function matchRoute<Endpoint extends PathPattern>(
  endpoints: readonly Endpoint[],
  asked: string,
  pathname: string,
): Match<Endpoint> {
  const segments = pathname
    .replace(/(?<=.)\/$/, '')
    .split('/')
    .slice(1)
  const method = asked === 'HEAD' ? 'GET' : asked
  const allowed: string[] = []
  let fitting: string | undefined
  for (const endpoint of endpoints) {
    if (fitting !== undefined && fitting !== endpoint.pattern) continue
    const path = matchSegments(endpoint.segments, segments)
    if (!path) continue
    if (endpoint.method === method) return { endpoint, path }
    fitting = endpoint.pattern
    allowed.push(endpoint.method)
  }
  if (fitting === undefined) return { refusal: new Refusal('NotFound', 'there is nothing at this path') }
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return { refusal: new Refusal('MethodNotAllowed', `this path answers ${allow}`), allow, pattern: fitting }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const fits = (expected: string, index: number) => expected === segments[index] || expected.startsWith(':')
  if (!pattern.every(fits)) return undefined
  const path: Record<string, string> = {}
  for (const [index, expected] of pattern.entries())
    if (expected.startsWith(':')) path[expected.slice(1)] = decode(segments[index] ?? '')
  return path
}

/** What is badly escaped is taken as it stands: whoever reads the segment refuses it. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
