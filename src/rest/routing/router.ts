import createTree from 'find-my-way'
import { Refusal } from '../../domain/errors/error.ts'

export interface PathPattern {
  pattern: string
  method: string
  segments: string[]
}

type Match<Endpoint> =
  | { endpoint: Endpoint; path: Record<string, string>; allow?: undefined; pattern?: undefined }
  | { endpoint?: undefined; refusal: Refusal; allow?: string; pattern?: string }

/** @param on such as `GET /api/v1/orders/:uid` @param belowNetwork whether the path begins with a network */
export function patternOf(on: string, belowNetwork: boolean): PathPattern {
  const [method = '', path = ''] = on.split(' ')
  const pattern = belowNetwork ? `/:network${path}` : path
  return { pattern, method, segments: pattern.split('/').slice(1) }
}

/**
 * Finds the endpoint of a method and path. A fixed segment takes precedence over a parameter. Rows of one
 * path use the same parameter names. HEAD is routed as GET; other methods of a known path get a list of
 * allowed ones. A trailing slash is ignored.
 */
export function createRestRouter<Endpoint extends PathPattern>(
  endpoints: readonly Endpoint[],
): (method: string, pathname: string) => Match<Endpoint> {
  // All endpoints of a path are one node in the tree of GET, so that the path is matched before the method.
  const tree = createTree({ ignoreTrailingSlash: true, maxParamLength: Number.MAX_SAFE_INTEGER })
  for (const pattern of new Set(endpoints.map((endpoint) => endpoint.pattern))) {
    const pathEndpoints = endpoints.filter((endpoint) => endpoint.pattern === pattern)
    tree.on('GET', pattern, () => {}, { pattern, pathEndpoints })
  }

  return (requestMethod, pathname) => {
    // Escapes are literal: the tree would take `%71uote` for `quote`, and refuse malformed ones itself.
    const route = tree.find('GET', pathname.replaceAll('%', '%25').replaceAll('#', '%23'))
    if (!route) return { refusal: new Refusal('NotFound', 'there is nothing at this path') }
    const { pattern, pathEndpoints }: { pattern: string; pathEndpoints: readonly Endpoint[] } = route.store
    const method = requestMethod === 'HEAD' ? 'GET' : requestMethod
    const endpoint = pathEndpoints.find((candidate) => candidate.method === method)
    if (endpoint) return { endpoint, path: decodeParameters(route.params) }
    const methods = pathEndpoints.map((endpoint) => endpoint.method)
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    return { refusal: new Refusal('MethodNotAllowed', `this path answers ${allow}`), allow, pattern }
  }
}

function decodeParameters(segments: Record<string, string | undefined>): Record<string, string> {
  const path: Record<string, string> = {}
  for (const name in segments) path[name] = decodeSegment(segments[name] ?? '')
  return path
}

/** Returns malformed escapes unchanged: the parser of the parameter refuses them. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
