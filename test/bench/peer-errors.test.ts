import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { Subject } from '../../bench/database/subjects.ts'
import { get } from '../../bench/load/question.ts'
import { checkAnswers, type Figures, type Row, type RowResult } from '../../bench/measure.ts'
import { ratioOf, totals } from '../../bench/report.ts'
import type { ServerProcess } from '../../bench/servers/process.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function rowOf(system: string, body: string): Promise<Row> {
  const server = createServer((_req, res) => void res.end(body)).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const unused = () => Promise.reject(new Error('nothing is measured here'))
  const asked: ServerProcess = { port, pid: 0, vitals: unused, heldMemory: unused, stop: async () => {} }
  return { system, server: asked, ask: () => ({ request: get('/'), expect: '0x01' }) }
}

const subjects: Subject[] = [{ number: 1, uid: Buffer.from('01', 'hex'), owner: Buffer.from('02', 'hex') }]
const right = '{"data":{"order":{"uid":"0x01"}}}'

describe('a system that answers an error', () => {
  test('ends the bench before anything is measured', async () => {
    const refused = '{"errors":[{"message":"Value \\"TX_DESC\\" does not exist"}],"data":{"uid":"0x01"}}'
    const rows = [await rowOf('tradegraph', right), await rowOf('against', refused)]
    await expect(checkAnswers([{ name: 'feed', rows }], subjects)).rejects.toThrow(
      `feed: against answers 200: ${refused}`,
    )
    await checkAnswers([{ name: 'feed', rows: rows.slice(0, 1) }], subjects)
  })

  test('does not end it where it is left out', async () => {
    const row = { ...(await rowOf('against', '{}')), skipped: 'not in its schema' }
    await checkAnswers([{ name: 'feed', rows: [row] }], subjects)
  })

  test('has no ratio', () => {
    const figures = (requestsPerSecond: number, errors: number): Figures => ({
      requestsPerSecond,
      errors,
      p50Ms: 1,
      p99Ms: 1,
      bytes: 1,
      cpuMsPerRequest: 1,
      maxBlockMs: 1,
      rssMb: 1,
    })
    const rowsWith = (errors: number): [RowResult, RowResult] => [
      { system: 'tradegraph', figures: figures(200, 0), rounds: [figures(200, 0)] },
      { system: 'against', figures: figures(100, errors), rounds: [figures(100, errors)] },
    ]
    const ratioWith = (errors: number) => {
      const rows = rowsWith(errors)
      return [ratioOf(rows[0], rows), totals([{ name: 'feed', rows }])]
    }
    expect(ratioWith(1)).toEqual([undefined, []])
    expect(ratioWith(0)).toEqual([2, ['tradegraph ÷ against over 1 documents: min 2.00 (feed), median 2.00']])
  })
})
