import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { openTestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

/** The cached cost of a document must not grow with what a client sends beside it. */

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heldBytes(): number {
  // The engine frees property names in its second pass.
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('variables that the document does not declare are not cached', async () => {
  await using server = await openTestServer()
  const ask = async (count: number) => {
    const variables = { [`${'x'.repeat(200_000)}${count}`]: 1 }
    const { body } = await request(`${server.url}/graphql`, 'POST', { query: '{ version }', variables })
    expect(body.data.version).toBeDefined()
  }
  await ask(-1)
  const before = heldBytes()
  for (let count = 0; count < 60; count++) await ask(count)
  const grown = heldBytes() - before
  expect(grown).toBeLessThan(4_000_000)
})
