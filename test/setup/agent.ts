import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program } from './program.ts'

const root = path.join(import.meta.dirname, '..', '..')

/** The arguments behind the program's name in the configuration of the how-to page, for this service. */
function argumentsOf(url: string): string[] {
  const page = readFileSync(path.join(root, 'docs', 'how-to', 'connect-an-agent.md'), 'utf8')
  const [, block = ''] = /```json claude_desktop_config.json\n([\s\S]*?)```/.exec(page) ?? []
  const { command, args } = JSON.parse(block).mcpServers.tradegraph
  const [name, ...rest] = args as string[]
  if (command !== 'npx' || name !== 'tradegraph') throw new Error('the page starts another program')
  return rest.map((argument) => argument.replace('http://127.0.0.1:4000', url))
}

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

/** The protocol's own client, over HTTP or stdio. It checks results by their schemas. */
export async function openAgent(url: string, by: 'http' | 'stdio', headers = {}): Promise<Agent> {
  // The older protocol over HTTP, and the newest one over stdio.
  const mode = by === 'http' ? 'legacy' : 'auto'
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const command = [program(), ...argumentsOf(url)]
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
