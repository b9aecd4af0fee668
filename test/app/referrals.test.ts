import { Wallet } from 'ethers'
import { expect, test } from 'vitest'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { signedBody } from '../affiliates/signer.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld } from '../setup/world.ts'

test('a code is registered, an order names it, and its settlement counts for the affiliate', async () => {
  await using world = await startWorld()
  const affiliate = new Wallet(world.market.accounts[1]?.privateKey ?? '')
  const wallet = affiliate.address.toLowerCase()
  const read = (what: string, address: string) => request(`${world.url}/affiliate/${what}/${address}`)

  const body = await signedBody(affiliate, 'LOCAL-1')
  expect((await request(`${world.url}/affiliate/${wallet}`, 'POST', body)).status).toBe(201)

  const trader = createTrader(world.url, world.market)
  const document = '{"appCode":"Referred","metadata":{"referrer":{"code":"local-1"}}}'
  const appDataHash = keccakText(document)
  const path = `${trader.base}/api/v1/app_data/${appDataHash}`
  expect((await request(path, 'PUT', { fullAppData: document })).status).toBe(201)
  // Neither token stands for the dollar: its price is requested separately.
  const wish = { sell: 'WETH', buy: 'DAI', sellAmount: 10n ** 18n, buyAmount: 1n, appDataHash } as const
  const { status, body: uid } = await trader.place(wish)
  expect(status).toBe(201)
  const [row, ...others] = await eventually('the trade is listed', async () => {
    const { rows } = (await read('trader-activity', trader.address)).body
    return rows.length > 0 && rows
  })
  expect(others).toEqual([])
  expect(row).toMatchObject({
    chain_id: world.market.network.chainId,
    order_uid: uid,
    trader_address: trader.address.toLowerCase(),
    sell_token_symbol: 'WETH',
    buy_token_symbol: 'DAI',
    executed_sell_amount: '1',
    referrer_code: 'LOCAL-1',
    bound_referrer_code: 'LOCAL-1',
    eligibility_reason: 'eligible',
    is_eligible: true,
  })
  // The bought token is a dollar too, so only the fees of a pool and of the protocol make a difference.
  const bought = Number(row.executed_buy_amount)
  expect(row.usd_value).toBeGreaterThan(bought * 0.97)
  expect(row.usd_value).toBeLessThan(bought * 1.05)
  expect(row.eligible_volume_usd).toBe(row.usd_value)

  expect((await read('trader-stats', trader.address)).body).toMatchObject({
    bound_referrer_code: 'LOCAL-1',
    linked_since: row.creation_date,
    eligible_volume: row.usd_value,
    total_earned: 0,
  })
  expect((await read('affiliate-stats', wallet)).body).toMatchObject({
    affiliate_address: wallet,
    referrer_code: 'LOCAL-1',
    total_volume: row.usd_value,
    active_traders: 1,
    total_traders: 1,
  })
})
