import { Refusal } from '../../domain/errors/error.ts'

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

/**
 * Finds who answers, by the first pattern that fits: a segment that is written out counts before one that takes anything. Rows of one
 * path write it alike. HEAD is answered like GET; a path that knows other methods only says which.
 */
export function createRouter<Endpoint extends PathPattern>(
  endpoints: readonly Endpoint[],
): (method: string, pathname: string) => Match<Endpoint> {
  const ofLength: Endpoint[][] = []
  for (const endpoint of endpoints.toSorted((a, b) => parametersIn(a) - parametersIn(b))) {
    const { length } = endpoint.segments
    ofLength[length] = [...(ofLength[length] ?? []), endpoint]
  }

  return (asked, pathname) => {
    const segments = segmentsOf(pathname)
    const method = asked === 'HEAD' ? 'GET' : asked
    const allowed: string[] = []
    let fitting: string | undefined
    for (const endpoint of ofLength[segments.length] ?? []) {
      if (fitting !== undefined && fitting !== endpoint.pattern) continue
      const path = matchSegments(endpoint.segments, segments)
      if (!path) continue
      if (endpoint.method === method) return { endpoint, path }
      fitting = endpoint.pattern
      allowed.push(endpoint.method)
    }
    if (fitting === undefined) return { refusal: new Refusal('NotFound', 'there is nothing at this path') }
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    return {
      refusal: new Refusal('MethodNotAllowed', `this path answers ${allow}`),
      allow,
      pattern: fitting,
    }
  }
}

function parametersIn({ segments }: PathPattern): number {
  return segments.filter((segment) => segment.startsWith(':')).length
}

/** One slash at the end makes no difference. */
function segmentsOf(pathname: string): string[] {
  const end = pathname.length > 1 && pathname.endsWith('/') ? -1 : undefined
  return pathname.slice(1, end).split('/')
}

/** @param segments as many as the pattern has */
function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  for (const [index, expected] of pattern.entries())
    if (expected !== segments[index] && !expected.startsWith(':')) return undefined
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
