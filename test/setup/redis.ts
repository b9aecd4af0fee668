import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../src/dev/process/process.ts'

/** A Redis of its own, in memory alone, that can be stopped and started again. */
export interface TestRedis extends AsyncDisposable {
  url: string
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] })
    server = child
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => reject(new Error('redis-server ended')))
      child.stdout?.on('data', (text) => String(text).includes('Ready to accept connections') && resolve())
    })
  }

  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }

  await start()
  return { url: `redis://127.0.0.1:${port}`, start, stop, [Symbol.asyncDispose]: stop }
}
