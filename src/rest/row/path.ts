import createTree from 'find-my-way'
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
 * Finds who answers, by the pattern that fits: a segment that is written out counts before one that takes anything. Rows of one
 * path write it alike. HEAD is answered like GET; a path that knows other methods only says which. One slash at the end makes no
 * difference.
 */
export function createRouter<Endpoint extends PathPattern>(
  endpoints: readonly Endpoint[],
): (method: string, pathname: string) => Match<Endpoint> {
  // The path decides before the method does: each has one place in the tree of GET, with all that answer there.
  const tree = createTree({ ignoreTrailingSlash: true, maxParamLength: Number.MAX_SAFE_INTEGER })
  for (const pattern of new Set(endpoints.map((endpoint) => endpoint.pattern))) {
    const answering = endpoints.filter((endpoint) => endpoint.pattern === pattern)
    tree.on('GET', pattern, () => {}, { pattern, answering })
  }

  return (asked, pathname) => {
    // Escapes stay as they are: the tree would take `%71uote` for `quote`, and refuse bad escapes itself.
    const found = tree.find('GET', pathname.replaceAll('%', '%25').replaceAll('#', '%23'))
    if (!found) return { refusal: new Refusal('NotFound', 'there is nothing at this path') }
    const { pattern, answering }: { pattern: string; answering: readonly Endpoint[] } = found.store
    const method = asked === 'HEAD' ? 'GET' : asked
    const endpoint = answering.find((one) => one.method === method)
    if (endpoint) return { endpoint, path: decoded(found.params) }
    const allowed = answering.map((one) => one.method)
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    return { refusal: new Refusal('MethodNotAllowed', `this path answers ${allow}`), allow, pattern }
  }
}

function decoded(segments: Record<string, string | undefined>): Record<string, string> {
  const path: Record<string, string> = {}
  for (const name in segments) path[name] = decode(segments[name] ?? '')
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
