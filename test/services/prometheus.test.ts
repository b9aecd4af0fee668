import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/server/metrics.ts'

const folder = path.join(import.meta.dirname, '..', '..', 'ops', 'prometheus')
const promtool = (args: readonly string[], input?: string) =>
  execFileSync(process.env.PROMTOOL ?? 'promtool', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
    input,
  })

test('Prometheus reads the configuration and the rules', () => {
  expect(promtool(['check', 'config', 'prometheus.yml'])).toMatch(/SUCCESS: \d+ rules found/)
})

test('each alert fires where it should, and rests where it should not', () => {
  expect(promtool(['test', 'rules', 'alerts.test.yml'])).toContain('SUCCESS')
})

test('Prometheus reads what /metrics answers', async () => {
  expect(() => promtool(['check', 'metrics'], '# TYPE wrong counter\nwrong{ 1\n')).toThrow()
  const metrics = createMetrics(false)
  metrics.count('GET', '/graphql', 200, 1)
  metrics.work.measure({ kind: 'rpc', name: 'eth_call', of: 'the "node"\n' }, 1, undefined)
  const text = await metrics.text()
  try {
    promtool(['check', 'metrics'], text)
  } catch (fault) {
    // Code 3 is for advice on names alone.
    expect(fault).toMatchObject({ status: 3 })
  }
})
