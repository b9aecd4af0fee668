import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const cli = path.join(import.meta.dirname, '..', '..', 'src', 'app', 'commands', 'tradegraph.ts')

export interface AgentResult {
  isError: boolean
  /** The block of the program's own words, and that of strangers' texts. */
  texts: string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  content: any
}

export interface Agent extends AsyncDisposable {
  client: Client
  call(name: string, args?: Record<string, unknown>): Promise<AgentResult>
}

/** The protocol's own client, over HTTP or over the pipes of a command. It checks results by their schemas. */
export async function openAgent(url: string, by: 'http' | 'stdio', headers = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' })
  const command = ['--import', 'tsx', cli, 'mcp', '--url', url]
  await client.connect(
    by === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
      : new StdioClientTransport({ command: process.execPath, args: command, stderr: 'inherit' }),
  )
  await client.listTools()
  return {
    client,
    async call(name, args = {}) {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args })
      const texts = (content as { text: string }[]).map(({ text }) => text)
      return { isError, texts, content: structuredContent }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
