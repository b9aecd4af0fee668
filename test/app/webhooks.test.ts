import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPage } from '../docs/pages.ts'
import { eventually } from '../setup/eventually.ts'
import { startReceiver } from '../setup/receiver.ts'
import { ask, openSession } from '../setup/session.ts'
import { createTrader } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const subscribe =
  'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { secret channel { id state } } }'

let world: World
beforeAll(async () => {
  world = await startWorld({
    roles: ['serve', 'index', 'auction', 'deliver'],
    environment: { PUBLIC_URL: 'https://trade.example', CHANNEL_ALLOWED_HOSTS: '127.0.0.1' },
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** The receiver of the how-to page, with this secret, on a free port. */
async function runReceiver(secret: string) {
  const page = readPage('docs/how-to/receive-webhooks.md')
  const text = page.blocks.find(({ name }) => name === 'receive.mjs')?.text ?? ''
  const folder = mkdtempSync(path.join(import.meta.dirname, '.receiver-'))
  const listening = "console.log('listening')"
  expect(text).toContain(listening)
  writeFileSync(
    path.join(folder, 'receive.mjs'),
    text.replace('8090', '0').replace(listening, 'console.log(server.address().port)'),
  )
  const child = spawn(process.execPath, ['receive.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  const [port] = await once(output, 'line')
  output.on('line', (line) => lines.push(line))
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    async stop() {
      child.kill()
      await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

test('an order’s fill reaches a webhook that its owner subscribed by a signature', async () => {
  const { market, url } = world
  const key = new Wallet(market.accounts[0]?.privateKey ?? '')
  const token = await openSession(url, key, { chainId: market.network.chainId })
  await using other = await startReceiver()
  const input = { account: key.address, kind: 'WEBHOOK', types: ['ORDER_FILLED'] }
  const { data } = await ask(url, subscribe, { input: { ...input, address: other.url } }, token)
  expect(data.subscribeChannel.channel.state).toBe('ACTIVE')
  // Its secret is known only after it was confirmed: so it gets that of the first channel, and fails.
  const wrong = await runReceiver(data.subscribeChannel.secret)
  try {
    const { data: second } = await ask(url, subscribe, { input: { ...input, address: wrong.url } }, token)
    expect(second.subscribeChannel.channel.state).toBe('ACTIVE')
    const trader = createTrader(url, market)
    const wish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 17n, buyAmount: 293n * 10n ** 6n } as const
    const { status, body: uid } = await trader.place(wish)
    expect(status).toBe(201)
    const messages = () => other.received.filter(({ body }) => body.type === 'order_filled')
    await eventually('the message', () => messages().length === 1)
    const [notification] = await trader.notifications()
    expect(messages()[0]?.body).toMatchObject({
      type: 'order_filled',
      data: {
        account: key.address.toLowerCase(),
        revision: 0,
        isReverted: false,
        metadata: { orderId: uid },
      },
    })
    expect(notification).toMatchObject({ message: messages()[0]?.body.data.message })

    const log =
      'query ($account: Address!) { channelSubscriptions(account: $account) { deliveries { nodes { state status } } } }'
    const deliveries = async () =>
      (await ask(url, log, { account: key.address }, token)).data.channelSubscriptions.map(
        (channel: { deliveries: { nodes: object[] } }) => channel.deliveries.nodes[0],
      )
    await eventually('a refusal', async () => (await deliveries())[1]?.status === 401)
    expect(await deliveries()).toEqual([
      { state: 'DELIVERED', status: 200 },
      { state: 'WAITING', status: 401 },
    ])
    expect(wrong.lines).toEqual([])
  } finally {
    await wrong.stop()
  }
})

test('the receiver of the how-to page takes what is signed with its secret, once', async () => {
  const { market, url } = world
  const key = new Wallet(market.accounts[1]?.privateKey ?? '')
  const token = await openSession(url, key, { chainId: market.network.chainId })
  await using proxy = await startReceiver()
  const input = { account: key.address, kind: 'WEBHOOK', address: proxy.url }
  const { data } = await ask(url, subscribe, { input }, token)
  const { secret, channel } = data.subscribeChannel
  const page = await runReceiver(secret)
  try {
    const testing = 'mutation ($input: ChannelInput!) { testChannel(input: $input) { messageId } }'
    await ask(url, testing, { input: { account: key.address, id: channel.id } }, token)
    const sent = await eventually('the test event', () =>
      proxy.received.find(({ body }) => body.type === 'test'),
    )
    const headers = Object.fromEntries(
      Object.entries(sent.headers).filter(([name]) => name.startsWith('webhook-')),
    ) as Record<string, string>
    for (let times = 0; times < 2; times++) {
      const { status } = await fetch(page.url, { method: 'POST', headers, body: sent.text })
      expect(status).toBe(204)
    }
    expect((await fetch(page.url, { method: 'POST', headers, body: `${sent.text} ` })).status).toBe(401)
    expect(page.lines).toEqual(['test This is a test.'])
  } finally {
    await page.stop()
  }
})
