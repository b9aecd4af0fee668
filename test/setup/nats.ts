import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePort } from '../../src/dev/process/process.ts'

/** A NATS server with JetStream of its own, that can be killed and started again with what it stored. */
export interface TestNats extends AsyncDisposable {
  url: string
  kill(): Promise<void>
  start(): Promise<void>
  /** All messages of a stream, by sequence. */
  read(stream: string): Promise<{ id: string; subject: string; text: string }[]>
}

const program = existsSync('/usr/sbin/nats-server') ? '/usr/sbin/nats-server' : 'nats-server'

export async function startNats(): Promise<TestNats> {
  const port = await freePort()
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-nats-'))
  const url = `nats://127.0.0.1:${port}`
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const flags = ['-js', '-a', '127.0.0.1', '-p', `${port}`, '-sd', folder]
    const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] })
    server = child
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => reject(new Error('nats-server ended')))
      child.stderr?.on('data', (text) => String(text).includes('Server is ready') && resolve())
    })
  }

  async function kill(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }

  await start()
  return {
    url,
    start,
    kill,
    async read(stream) {
      const connection = await connect({ servers: url })
      const { streams } = await jetstreamManager(connection, { timeout: 30_000 })
      const { state } = await streams.info(stream)
      const numbers = Array.from({ length: state.messages }, (_, index) => state.first_seq + index)
      const found = []
      while (numbers.length > 0) {
        const some = numbers.splice(0, 200).map((seq) => streams.getMessage(stream, { seq }))
        found.push(...(await Promise.all(some)))
      }
      await connection.close()
      return found.map((message) => ({
        id: message?.header.get('Nats-Msg-Id') ?? '',
        subject: message?.subject ?? '',
        text: message?.string() ?? '',
      }))
    },
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
