import { metadataReaderCode } from '../../src/chain/bytecode.generated.ts'
import { word } from '../../src/domain/evm/abi.ts'

interface RpcRequest {
  id: unknown
  method: string
  params?: unknown[]
}

/** The methods of a scripted node. They return JSON texts, and throw what the node refuses. */
export type Methods = Record<string, (params: unknown[]) => string>

/** Answers a request, or a batch of them, in JSON. */
export function answerRpc(methods: Methods, body: string): string {
  const request = JSON.parse(body) as RpcRequest | RpcRequest[]
  const answer = (each: RpcRequest) => answerOne(methods, each)
  return Array.isArray(request) ? `[${request.map(answer).join(',')}]` : answer(request)
}

function answerOne(methods: Methods, { id, method, params = [] }: RpcRequest): string {
  const envelope = (rest: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`
  const run = methods[method]
  if (!run) return envelope(`"error":{"code":-32601,"message":"the method ${method} does not exist"}`)
  try {
    return envelope(`"result":${run(params)}`)
  } catch (fault) {
    return envelope(`"error":{"code":-32602,"message":${JSON.stringify(String(fault))}}`)
  }
}

/** The data of a call. */
export function dataOf(request: unknown): string {
  const { data, input } = (request ?? {}) as { data?: string; input?: string }
  return data ?? input ?? '0x'
}

/** Answers the reader of token metadata: each token is TOK with 18 decimals. Another call has no answer. */
export function readTokens(data: string): string {
  if (!data.startsWith(metadataReaderCode)) return '0x'
  const tokens = (data.length - metadataReaderCode.length) / 64 - 2
  const symbol = `${word(32n)}${Buffer.from('TOK').toString('hex').padEnd(64, '0')}`
  return `0x${`${symbol}${symbol}${word(32n)}${word(18n)}`.repeat(tokens)}`
}
