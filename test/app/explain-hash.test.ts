import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../src/app/commands/run.ts'
import { numbered } from '../fakes/order.ts'

const hash = `0x${'6694d74e30e4de04'.repeat(4)}`
const owner = numbered('77')

/** A service with these programmatic orders, and the variables that it was asked with. */
async function serve(nodes: object[]) {
  const asked: object[] = []
  const server = createServer(async (request, response) => {
    const { variables } = (await json(request)) as { variables: { hash?: string; id?: string } }
    asked.push(variables)
    const whole = {
      id: 'one',
      hash,
      owner,
      resolvedOwner: owner,
      type: 'TWAP',
      status: 'ACTIVE',
      filledParts: 3,
      partCount: 12,
      network: { name: 'gnosis' },
      diagnosis: { code: 'WAITING', text: 'Later.' },
    }
    const data = variables.hash ? { programmaticOrders: { nodes } } : { programmaticOrder: whole }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, url }
}

async function explain(subject: string, url: string, asJson = false) {
  const [out, errors]: [string[], string[]] = [[], []]
  const code = await runCommand('explain', [subject], {
    flags: { url, json: asJson, timeout: '5' },
    random: () => 0.5,
    print: (line) => void out.push(line),
    warn: (line) => void errors.push(line),
  })
  return { code, out, errors: errors.join('\n') }
}

test('explain says how a programmatic order stands, by its hash in any letter case', async () => {
  const { asked, url } = await serve([{ id: 'one', hash, owner }])
  const lines = [
    `programmatic order ${hash}`,
    `  TWAP on gnosis, ACTIVE, of ${owner}`,
    '  filled: 3 of 12 parts',
    '  WAITING: Later.',
    `  ${url}/programmatic/one`,
  ]
  expect(await explain(hash, url)).toEqual({ code: 0, out: lines, errors: '' })
  expect(await explain(` ${hash.toUpperCase().replace('0X', '0x')}`, url)).toMatchObject({ out: lines })
  const [line = ''] = (await explain(hash, url, true)).out
  expect(JSON.parse(line)).toMatchObject({ hash, status: 'ACTIVE', page: `${url}/programmatic/one` })
  expect(asked[0]).toEqual({ hash: '0x6694d74e' })
})

test('explain sends four bytes of what may be a private key, and says so', async () => {
  const { asked, url } = await serve([{ id: 'near', hash: `${hash.slice(0, -1)}5`, owner }])
  const { code, out, errors } = await explain(hash, url)
  expect([code, out]).toEqual([3, []])
  expect(errors).toContain('there is no programmatic order with this hash')
  expect(errors).toContain('Only its first 8 digits were sent')
  expect(asked).toEqual([{ hash: '0x6694d74e' }])
})
