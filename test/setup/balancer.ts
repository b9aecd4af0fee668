import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from './eventually.ts'
import { freePorts } from './processes.ts'

interface Balancer extends AsyncDisposable {
  url: string
}

const page = path.join(import.meta.dirname, '..', '..', 'docs', 'how-to', 'deploy.md')

/** HAProxy before these ports, as the page about deploys has it, with checks in quick succession. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-balancer-'))
  const [port] = await freePorts(1)
  const [, configured = ''] = /^```haproxy \S+\n([\s\S]*?)^```$/m.exec(readFileSync(page, 'utf8')) ?? []
  const configuration = configured
    .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replace('inter 1s', 'inter 200ms')
    .replace(/127\.0\.0\.1:400(\d)/g, (_, place) => `127.0.0.1:${ports[Number(place) - 1]}`)
  const file = path.join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration)
  const child = spawn(findHaproxy(), ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'ignore'] })
  const url = `http://127.0.0.1:${port}`
  await eventually('the balancer answers', () =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    url,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Named in HAPROXY, in the PATH, or where Debian has it. */
function findHaproxy(): string {
  const places = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin']
  const found = [process.env.HAPROXY ?? '', ...places.map((place) => path.join(place, 'haproxy'))].find(
    (file) => file !== '' && existsSync(file),
  )
  if (!found) throw new Error('no haproxy in the PATH: name one in HAPROXY')
  return found
}
