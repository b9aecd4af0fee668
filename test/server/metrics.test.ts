import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/server/metrics.ts'
import { ask, type Exchange } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'
import { startWorld } from '../setup/world.ts'

const key = 'metrics-key-of-the-tests'
const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })
const serve = (environment: Record<string, string>) => startWorld({ roles: ['serve'], environment })

function expectMetrics({ status, headers, bytes }: Exchange): void {
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    expect.stringMatching(/^text\/plain/),
    'no-store',
  ])
  expect(bytes.toString()).toMatch(/^process_cpu_user_seconds_total \d/m)
}

function expectRefusal({ status, bytes }: Exchange, wanted: number, errorType: string): void {
  expect([status, JSON.parse(bytes.toString())]).toMatchObject([wanted, { errorType }])
  expect(bytes.toString()).not.toContain('process_')
}

describe('/metrics', () => {
  test('is 404 in a deployment without settings for it', async () => {
    await using world = await serve({})
    expect(world.app.metricsUrl).toBeUndefined()
    expectRefusal(await ask(`${world.url}/metrics`), 404, 'NotFound')
    expectRefusal(await ask(`${world.url}/metrics`, bearer('undefined')), 404, 'NotFound')
  })

  test('is open only to clients with its key', async () => {
    await using world = await serve({ METRICS_KEY: key })
    const at = `${world.url}/metrics`
    expectMetrics(await ask(at, bearer(key)))
    expectMetrics(await ask(at, { headers: { 'x-api-key': key } }))
    for (const wrong of [{}, bearer(`${key}x`), bearer(key.slice(1)), { headers: { 'x-api-key': '' } }])
      expectRefusal(await ask(at, wrong), 401, 'Unauthorized')
    const posted = await ask(at, { method: 'POST', ...bearer(key) })
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test('can have its own port together with a key', async () => {
    await using world = await serve({ METRICS_PORT: '0', METRICS_KEY: key })
    const apart = world.app.metricsUrl ?? ''
    expect(apart).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(apart).not.toBe(world.url)
    await ask(`${world.url}/health/live`)
    const counted = await ask(`${apart}/metrics`, bearer(key))
    expectMetrics(counted)
    // Requests for the metrics are not counted.
    expect(counted.bytes.toString().match(/^tradegraph_http_requests_total\{.*/gm)).toEqual([
      'tradegraph_http_requests_total{method="GET",route="/health/live",status="200"} 1',
    ])
    expectRefusal(await ask(`${apart}/metrics`), 401, 'Unauthorized')
    expectRefusal(await ask(`${world.url}/metrics`, bearer(key)), 404, 'NotFound')
    for (const path of ['/', '/docs', '/graphql', '/sepolia/api/v1/version'])
      expect((await ask(`${apart}${path}`, bearer(key))).status).toBe(404)
  })

  test('needs no key on its own port if none is set', async () => {
    await using world = await serve({ METRICS_PORT: '0' })
    expectMetrics(await ask(`${world.app.metricsUrl}/metrics`))
    expectRefusal(await ask(`${world.url}/metrics`), 404, 'NotFound')
  })

  test('tells of the loops too, in a process that does everything', async () => {
    await using world = await startWorld({ environment: { METRICS_KEY: key } })
    await eventually('it indexes', async () => {
      const { bytes } = await ask(`${world.url}/metrics`, bearer(key))
      return /^tradegraph_indexer_block_age_seconds\{network="sepolia"\} \d/m.test(bytes.toString())
    })
    const { bytes } = await ask(`${world.url}/metrics`, bearer(key))
    expect(bytes.toString()).toMatch(/^tradegraph_feed_commits_waiting \d+$/m)
    const ready = await ask(`${world.url}/health/ready`)
    expect(Object.keys(JSON.parse(ready.bytes.toString()))).toEqual(
      expect.arrayContaining(['database', 'sepolia', 'sepolia:indexer', 'sepolia:auctions']),
    )
  })

  test('is compressed, and HEAD is answered', async () => {
    await using server = await openTestServer({}, { metrics: createMetrics(true) })
    const head = await ask(`${server.url}/metrics`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'gzip' },
    })
    expect([head.status, head.headers['content-encoding'], head.bytes.length]).toEqual([200, 'gzip', 0])
  })
})
