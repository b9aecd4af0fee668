import { once } from 'node:events'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createLimiter } from '../../concurrency/limiter.ts'
import { createMcpServer } from '../../mcp/server.ts'
import type { Ask, AskedResult } from '../../mcp/tool.ts'
import { askService, CommandFault, type Service } from './service.ts'

/** Bytes of one message, and calls at the same time: those of one agent. */
const limits = { bytes: 262_144, running: 8, waiting: 64 }

interface AgentOptions {
  version: string
  warn(line: string): void
}

/** Serves the tools over stdin and stdout, until the agent closes them. Each call asks the service. */
export async function serveAgent(service: Service, { version, warn }: AgentOptions): Promise<void> {
  const limit = createLimiter({ what: 'the service', running: limits.running, waiting: limits.waiting })
  const ask: Ask = ({ run }, variables) =>
    limit(() => askService(service, run, variables) as Promise<AskedResult>).catch(unavailable)
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: limits.bytes })
  const served = serveStdio(() => createMcpServer(ask, version, false), {
    transport,
    maxSubscriptions: 0,
    onerror: (fault) => warn(`tradegraph: ${fault.message}`),
  })
  await once(process.stdin, 'close')
  await served.close()
}

function unavailable(fault: unknown): AskedResult {
  const { message, code } =
    fault instanceof CommandFault ? fault : { message: 'too many calls at once', code: undefined }
  return { errors: [{ message, extensions: { code: code ?? 'Unavailable', retryable: true } }] }
}
