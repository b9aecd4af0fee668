import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { numbered } from '../fakes/order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { ask } from '../setup/session.ts'

// Input of channels that is refused: with the field, and in words of the page.
const key = 'editor-key-of-16-or-more'
const account = numbered('c1')
const channel = `/accounts/${account}/channels/00000000-0000-4000-8000-000000000000`
let server: TestServer

beforeAll(async () => {
  server = await openTestServer({}, { isEditor: operatorCheck(key) })
})
afterAll(() => server[Symbol.asyncDispose]())

async function send(method: string, path: string, body: unknown): Promise<[number, string]> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  const { message } = (await response.json()) as { message: string }
  return [response.status, message]
}

test.each<[object, string]>([
  [{ types: 'order_filled' }, 'types must be a list'],
  [{ networks: ['sepolia', 11155111] }, 'networks[1] must be a text'],
  [{ leastImprovement: 0.01 }, 'leastImprovement must be a text'],
  [{ address: 'https://other.example/' }, 'address cannot be set here'],
  [{ kind: 'email' }, 'kind cannot be set here'],
  [{ types: [], state: 'active' }, 'state cannot be set here'],
])('a change %j is refused', async (body, message) => {
  expect(await send('PATCH', channel, body)).toEqual([400, message])
})

test('members that are missing are said to be', async () => {
  expect(await send('POST', `/accounts/${account}/channels/confirmation`, {})).toEqual([
    400,
    'token is required',
  ])
  const replay = await send('POST', `${channel}/replay`, { from: 5 })
  expect(replay).toEqual([400, 'from must be a time such as 2027-01-15T08:00:00Z'])
})

test('an unknown network in a list is refused at the list', async () => {
  const { errors } = await ask(
    server.url,
    'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { id } } }',
    { input: { account, id: channel.split('/').at(-1), networks: ['atlantis'] } },
    key,
  )
  expect(errors?.[0]).toMatchObject({
    message: 'there is no network atlantis, but sepolia',
    extensions: { code: 'NotFound', field: 'networks' },
  })
})
