import { Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { type MailServer, startMailServer } from '../setup/mail-server.ts'
import { ask, openSession } from '../setup/session.ts'
import { createTrader } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

let mails: MailServer
let world: World
beforeAll(async () => {
  mails = await startMailServer()
  world = await startWorld({
    roles: ['serve', 'index', 'auction', 'deliver'],
    environment: {
      PUBLIC_URL: 'https://trade.example',
      SMTP_URL: mails.url,
      SMTP_FROM: 'Trade & Co. <notifications@trade.example>',
    },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await mails?.[Symbol.asyncDispose]()
})

const follow = (text: string | undefined) => {
  const [link = ''] = /https:\/\/trade\.example\/channels\/\S+/.exec(text ?? '') ?? []
  return fetch(link.replace('https://trade.example', world.url), { method: 'POST' })
}

test('an order’s fill reaches a mailbox that its owner subscribed, until its reader leaves', async () => {
  const { market, url } = world
  const key = new Wallet(market.accounts[0]?.privateKey ?? '')
  const token = await openSession(url, key, { chainId: market.network.chainId })
  const input = {
    account: key.address,
    kind: 'EMAIL',
    address: 'trader@mail.example',
    types: ['ORDER_FILLED'],
  }
  const subscribe =
    'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { channel { state address } } }'
  expect((await ask(url, subscribe, { input }, token)).data.subscribeChannel.channel).toEqual({
    state: 'PENDING',
    address: 't…@mail.example',
  })
  expect((await follow(mails.received[0]?.text)).status).toBe(200)

  const trader = createTrader(url, market)
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 17n, buyAmount: 293n * 10n ** 6n } as const
  expect((await trader.place(wish)).status).toBe(201)
  const mail = await eventually('the mail', () => mails.received[1])
  const [notification] = await trader.notifications()
  expect(mail).toMatchObject({
    from: { value: [{ name: 'Trade & Co.', address: 'notifications@trade.example' }] },
    recipients: ['trader@mail.example'],
  })
  // Shortened where the symbols of the tokens are not stored yet.
  expect(notification?.message.startsWith(mail.subject?.replace(/…$/, '') ?? '-')).toBe(true)
  expect(mail.text).toContain(notification?.message)
  const list = 'query ($account: Address!) { channelSubscriptions(account: $account) { state } }'
  const states = async () =>
    (await ask(url, list, { account: key.address }, token)).data.channelSubscriptions as { state: string }[]
  expect(await states()).toEqual([{ state: 'ACTIVE' }])
  expect((await follow(mail.text)).status).toBe(200)
  expect(await states()).toEqual([])
})
