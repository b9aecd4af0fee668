import type { IncomingMessage } from 'node:http'
import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { DocumentNode } from 'graphql'
import { Refusal } from '../domain/errors/error.ts'
import { type Admission, executedUnits, writtenUnits } from '../execution/admission/admission.ts'
import { checkNesting } from '../execution/documents/variables.ts'
import type { Executor } from '../execution/execute.ts'
import { graphqlErrorResponse } from '../execution/http/error-response.ts'
import { jsonAndEvents } from '../execution/http/request.ts'
import { Operation } from '../execution/operation.ts'
import { checkBodyType, readBody } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import { type HttpResponse, noStore } from '../http/response.ts'
import { createMcpServer, tools } from './server.ts'
import type { Ask, Tool } from './tool.ts'

/** Largest body, longest list of messages, and longest time of an answer. */
const limits = { bytes: 65_536, messages: 16, ms: 60_000 }

const passedHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

/** Headers that pages may send. */
const preflightHeaders = `Authorization, X-API-Key, accept, ${passedHeaders.join(', ')}`

interface McpOptions {
  version: string
  /** Host names by which clients and pages may reach it. */
  hosts: readonly string[]
}

type McpRequestHandler = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => Promise<HttpResponse>

/**
 * Answers the Model Context Protocol over HTTP. Without sessions: each request stands for itself, at any
 * process. Each document of a tool counts like a request of GraphQL.
 */
export function createMcpRequestHandler(
  executor: Executor,
  { version, hosts }: McpOptions,
): McpRequestHandler {
  const documents = new Map<Tool, DocumentNode>(tools.map((tool) => [tool, executor.trust(tool.run)]))

  /** @param admissions that of the request, for its first document */
  function createAsk(caller: Caller, gone: () => AbortSignal, admissions: Admission[], bytes: number): Ask {
    return async (tool, variables) => {
      try {
        const admission = admissions.pop() ?? executor.arrive(caller)
        const operation = new Operation({ variables }, documents.get(tool) as DocumentNode)
        operation.reserve(admission, bytes)
        const result = await executor.execute(operation, executor.context(caller, gone()))
        admission.settle(() => executedUnits(JSON.stringify(result.data ?? null).length))
        return result
      } catch (error) {
        return { errors: [executor.mask(error, caller.requestId)] }
      }
    }
  }

  async function answer(
    req: IncomingMessage,
    caller: Caller,
    gone: () => AbortSignal,
  ): Promise<HttpResponse> {
    if (req.method === 'OPTIONS') {
      caller.setHeader('Access-Control-Allow-Headers', preflightHeaders)
      return { status: 204, headers: { Allow: 'POST, OPTIONS' }, body: '' }
    }
    const admission = executor.arrive(caller)
    checkPlace(req, hosts)
    if (req.method !== 'POST') throw new Refusal('MethodNotAllowed', 'use POST: there are no sessions here')
    checkBodyType(req.headers)
    const text = await readBody(req, limits.bytes)
    const parsedBody = parse(text)
    const headers = passedHeaders.flatMap((name): [string, string][] => {
      const value = req.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    })
    headers.push(['accept', jsonAndEvents(req.headers.accept ?? '')])
    const unused = [admission]
    const ask = createAsk(caller, gone, unused, text.length)
    const mcp = createMcpHandler(() => createMcpServer(ask, version, true), { maxSubscriptions: 0 })
    const signal = AbortSignal.any([gone(), AbortSignal.timeout(limits.ms)])
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, signal })
    const response = await mcp.fetch(request, { parsedBody })
    const contentType = response.headers.get('content-type')
    const body = await response.text()
    // Lists of tools and refused arguments need no document.
    unused.pop()?.settle(() => writtenUnits(body.length))
    return {
      status: response.status,
      body,
      headers: contentType === null ? {} : { 'Content-Type': contentType },
    }
  }

  return async (req, caller, gone) => {
    try {
      return noStore(await answer(req, caller, gone)) as HttpResponse
    } catch (error) {
      return refusalOf(executor.mask(error, caller.requestId))
    }
  }
}

/** Keeps out pages whose name leads to this host (DNS rebinding). @throws Refusal Forbidden */
function checkPlace({ headers }: IncomingMessage, hosts: readonly string[]): void {
  const allowed = [...hosts]
  if (!validateHostHeader(headers.host, allowed).ok)
    throw new Refusal('Forbidden', 'MCP_HOSTS does not name this host', { field: 'Host' })
  if (!validateOriginHeader(headers.origin, allowed).ok)
    throw new Refusal('Forbidden', 'MCP_HOSTS does not name the host of this origin', { field: 'Origin' })
}

/** @throws Refusal for a body that is no JSON, or for a list that is too long or repeats an id */
function parse(text: string): unknown {
  checkNesting(text)
  const body = parseJson(text)
  if (!Array.isArray(body)) return body
  if (body.length > limits.messages)
    throw new Refusal('QueryTooComplex', `a list has at most ${limits.messages} messages`)
  const ids = body.map((message) => message?.id).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length)
    throw new Refusal('InvalidParameter', 'each message of a list needs an id of its own', { field: 'id' })
  // A cancelled request has no answer, for which the list would wait.
  return body.filter((message) => message?.method !== 'notifications/cancelled')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('InvalidParameter', 'the body is not JSON')
  }
}

/** An error in the form of the protocol, with the status and headers that it has over GraphQL. */
function refusalOf(error: ReturnType<Executor['mask']>): HttpResponse {
  const { status, headers } = graphqlErrorResponse(error)
  const { message, extensions } = error
  const { http: _, ...data } = extensions
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message, data } })
  return {
    status: extensions.code === 'Forbidden' ? 403 : status,
    headers: {
      ...headers,
      ...(status === 405 && { Allow: 'POST, OPTIONS' }),
      'Content-Type': 'application/json',
    },
    body,
  }
}
