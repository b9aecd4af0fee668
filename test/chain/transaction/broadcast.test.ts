import { expect, test } from 'vitest'
import { type Rpc, RpcError } from '../../../src/chain/rpc/rpc.ts'
import { createBroadcast, type PrivateEndpoint } from '../../../src/chain/transaction/broadcast.ts'
import { createSubmissionLog, inGweiDown } from '../../../src/chain/transaction/fees.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const transaction = { raw: '0x02', hash: `0x${'ab'.repeat(32)}` } as const

/** A node that takes what it is sent, refuses it, or is away; it does not know transactions. */
function nodeThat(mood: 'takes' | 'is away' | { refuses: string }) {
  const sent: unknown[] = []
  const rpc = {
    async call(method: string, [raw]: unknown[]) {
      if (method !== 'eth_sendRawTransaction') return null
      if (mood === 'is away') throw new Outage('the network node')
      if (mood !== 'takes') throw new RpcError(mood.refuses, -32_000)
      sent.push(raw)
      return transaction.hash
    },
  } as unknown as Rpc
  return { rpc, sent }
}

async function send(
  endpointMood: Parameters<typeof nodeThat>[0],
  rules: Partial<PrivateEndpoint> = {},
  sending?: { blocks: number; isPublic: boolean },
  publicMood: Parameters<typeof nodeThat>[0] = 'takes',
) {
  const [hidden, open] = [nodeThat(endpointMood), nodeThat(publicMood)]
  const endpoint = { rpc: hidden.rpc, publicAfterBlocks: 2, whenDown: 'wait' as const, ...rules }
  const result = await createBroadcast(open.rpc, endpoint, silentLog)(transaction, sending)
  return { ...result, counts: [hidden.sent.length, open.sent.length] }
}

const after = (blocks: number, isPublic = false) => ({ blocks, isPublic })

test('a transaction is private until its blocks are over, and from then on in both places', async () => {
  const alone = { isPublic: false, route: 'sent to the private endpoint', counts: [1, 0] }
  expect(await send('takes')).toEqual(alone)
  expect(await send('takes', {}, after(1))).toEqual(alone)
  const both = { isPublic: true, route: 'sent to the private endpoint and to public nodes', counts: [1, 1] }
  expect(await send('takes', {}, after(2))).toEqual(both)
  expect(await send('takes', {}, after(0, true))).toEqual(both)
  expect(await send('takes', { publicAfterBlocks: 0 }, after(1_000))).toEqual(alone)
})

test('while the endpoint is away it waits, or is public at once, as the rules say', async () => {
  const waiting = {
    isPublic: false,
    route: 'the private endpoint does not answer, waiting for it',
    counts: [0, 0],
  }
  expect(await send('is away')).toEqual(waiting)
  expect(await send('is away', { publicAfterBlocks: 0 }, after(99))).toEqual(waiting)
  const open = {
    isPublic: true,
    route: 'the private endpoint does not answer, sent to public nodes',
    counts: [0, 1],
  }
  expect(await send('is away', { whenDown: 'public' })).toEqual(open)
  expect(await send('is away', {}, after(2))).toEqual(open)
})

test('it is refused where nobody takes it, and a duplicate is no refusal', async () => {
  const refuses = { refuses: 'bundle reverts at https://relay.example/key' }
  expect(await send(refuses)).toMatchObject({
    refusal: 'the private endpoint refuses it: bundle reverts at …',
  })
  expect(await send(refuses, {}, after(2))).not.toHaveProperty('refusal')
  expect(await send(refuses, {}, after(2), { refuses: 'nonce too low' })).toMatchObject({
    refusal: 'nonce too low',
  })
  expect(await send('takes', {}, after(2), { refuses: 'nonce too low' })).not.toHaveProperty('refusal')
  for (const duplicate of ['already known', 'transaction already imported', 'known transaction: ab'])
    expect(await send({ refuses: duplicate })).not.toHaveProperty('refusal')
})

test('the story of a submission says a step once, and is bounded', () => {
  const story = createSubmissionLog('block 1: offered 2 gwei')
  story.add(2, 'sent to the private endpoint')
  story.add(3, 'sent to the private endpoint')
  expect(story.text()).toBe('block 1: offered 2 gwei; block 2: sent to the private endpoint')
  for (let block = 4; block < 1_000; block++) story.add(block, `offered ${block} gwei`)
  const steps = story.text().split('; ')
  expect([steps.length, steps[0], steps.at(-1)]).toEqual([
    13,
    'block 1: offered 2 gwei',
    'block 999: offered 999 gwei',
  ])
  expect(steps).toContain('…')
})

test('amounts are in gwei, rounded down', () => {
  const wei = [0n, 1n, 10n ** 6n, 999_999n, 10n ** 9n, 41_500_000_000n, 500n * 10n ** 9n, 1_234_567_890n]
  expect(wei.map(inGweiDown)).toEqual(['0', '0', '0.001', '0', '1', '41.5', '500', '1.234'])
})
