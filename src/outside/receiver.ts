import { promises as dns, type LookupAddress, type lookup } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { observed } from './telemetry/work.ts'

/** Posts to addresses that clients name, and prevents them from reaching the internal network. */
export interface Receivers {
  /** Returns the reason why the URL is refused without any request; undefined if it is accepted. */
  fault(url: string): string | undefined
  /**
   * Sends one POST and returns its answer. The name is resolved for each request, and the connection uses the
   * address that was checked. Redirects are not followed.
   * @throws ReceiverFault
   */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    stop?: AbortSignal,
  ): Promise<ReceiverResponse>
}

export interface ReceiverResponse {
  status: number
  /** The body, at most 64 KiB. */
  body: string
  retryAfterMs: number | undefined
}

const receiving = { kind: 'source', name: 'POST', of: 'receivers of channels' } as const

/** The fault of a receiver without an answer, or without a readable one. The message names no address. */
export class ReceiverFault extends Error {}

/**
 * The message for names that resolve to internal addresses and for names that do not resolve: clients must
 * not learn which internal names exist.
 */
const notPublic = 'the host has no public address'

const maxAnswerBytes = 65_536
const maxUrlLength = 2_000
const allowedPorts = new Set(['', '443', '8443'])
/**
 * The IPv6 addresses that are routed in public. All others are reserved, also those that the filter takes for
 * public, such as `::7f00:1`.
 */
const publicIpv6 = /^[23][0-9a-f]{3}:/i

export type Lookup = typeof lookup

interface ReceiverOptions {
  /** Resolves names for each connection; `lookupAt()` if left out. */
  lookup?: Lookup
  /** The time limit of the whole exchange. */
  timeoutMs?: number
}

/**
 * Creates receivers, which take only public https addresses on ports 443 and 8443.
 * @param allowedHosts host names and addresses that may be anywhere, over http too, on any port
 */
export function createReceivers(
  allowedHosts: readonly string[],
  { lookup = lookupAt(), timeoutMs = 10_000 }: ReceiverOptions = {},
): Receivers {
  const allowed = new Set(allowedHosts)
  // Each request has its own connection, so that its address is checked each time.
  const connection = { keepAlive: false, timeout: timeoutMs }
  const filtering = new RequestFilteringHttpsAgent({ ...connection, lookup: publicLookup(lookup) })
  const plain = { 'http:': new HttpAgent(connection), 'https:': new HttpsAgent(connection) }

  function fault(text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || url.href.length > maxUrlLength) return `must be a URL of at most ${maxUrlLength} characters`
    if (url.username || url.password) return 'must have neither user nor password'
    if (isAllowed(url)) return undefined
    if (url.protocol !== 'https:') return 'must be https'
    if (!allowedPorts.has(url.port)) return 'must be on port 443 or 8443'
    if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) return 'must have a host name'
    return undefined
  }

  const isAllowed = ({ protocol, hostname }: URL) =>
    allowed.has(hostname) && (protocol === 'http:' || protocol === 'https:')

  function agentFor(text: string): HttpsAgent {
    const reason = fault(text)
    if (reason) throw new ReceiverFault(`the address ${reason}`)
    const url = new URL(text)
    return isAllowed(url) ? (plain[url.protocol as 'https:'] as HttpsAgent) : filtering
  }

  return {
    fault,
    async post(url, headers, body, stop) {
      const agent = agentFor(url)
      return observed(receiving, () => exchange(agent, url, headers, body, stop))
    },
  }

  async function exchange(
    agent: HttpsAgent,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    stop: AbortSignal | undefined,
  ): Promise<ReceiverResponse> {
    const request = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = stop ? AbortSignal.any([stop, timeout]) : timeout
    const options = {
      method: 'POST',
      agent,
      signal,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    }
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request(url, options, resolve).on('error', reject).end(body)
      })
      return {
        status: response.statusCode ?? 0,
        body: await readAnswer(response),
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      }
    } catch (cause) {
      throw signal.aborted ? new ReceiverFault('no answer in time') : asFault(cause)
    }
  }
}

/** The canonical spelling of a URL without a fault: in ASCII, without the parts that are never sent. */
export function spelledOnce(url: string): string {
  return Object.assign(new URL(url), { hash: '' }).href
}

/**
 * Returns a lookup that asks name servers by itself. `dns.lookup` occupies a thread of the process, and a few
 * slow names would stop all other lookups.
 * @param servers those of the system if left out
 */
export function lookupAt(servers?: readonly string[]): Lookup {
  const find = async (host: string): Promise<LookupAddress[]> => {
    const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const queries = [resolver.resolve4(host), resolver.resolve6(host)]
    const [four, six] = await Promise.allSettled(queries)
    const found = [four, six].flatMap((answer, index) =>
      answer?.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    )
    if (found.length === 0 && four?.status === 'rejected') throw four.reason
    return found
  }
  const answering = (host: string, { all }: { all?: boolean }, answer: (...result: unknown[]) => void) =>
    find(host).then(
      (found) => (all ? answer(null, found) : answer(null, found[0]?.address, found[0]?.family)),
      answer,
    )
  return answering as unknown as Lookup
}

/** Resolves like `lookup`, without IPv6 that is not public; the filter after it does the rest. */
function publicLookup(lookup: Lookup): Lookup {
  const filtered = (host: string, options: object, answer: (...result: unknown[]) => void) =>
    lookup(host, options, (fault, found, family) => {
      const all: readonly LookupAddress[] = Array.isArray(found)
        ? found
        : [{ address: found as unknown as string, family }]
      const isInside = !fault && all.some(({ address }) => isIP(address) !== 4 && !publicIpv6.test(address))
      if (isInside) answer(new ReceiverFault(notPublic))
      else answer(fault, found, family)
    })
  return filtered as unknown as Lookup
}

/**
 * Converts an error. Errors of the filter name the resolved address of a host, and those of the resolver its
 * data: clients must learn neither.
 */
function asFault(cause: unknown): ReceiverFault {
  if (cause instanceof ReceiverFault) return cause
  const { code, message, hostname } = cause as { code?: unknown; message?: unknown; hostname?: unknown }
  const isFiltered = typeof message === 'string' && /is not allowed\. Because/.test(message)
  // Only faults of the resolver have a host name.
  if (isFiltered || hostname !== undefined) return new ReceiverFault(notPublic)
  return new ReceiverFault(
    typeof code === 'string' && /^\w{1,40}$/.test(code) ? `no connection (${code})` : 'no connection',
  )
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) {
      response.destroy()
      throw new ReceiverFault(`an answer of more than ${maxAnswerBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function retryAfterMs(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : undefined
}
