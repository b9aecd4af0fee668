import { afterAll, beforeAll, expect, test } from 'vitest'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { composableCow } from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { encodeStaticInput } from '../../src/domain/programmatic/static-input.ts'
import { calls } from '../chain/conditional-stage.ts'
import { twapHandler, twapInput, word } from '../domain/programmatic/vectors.ts'
import { eventually } from '../setup/eventually.ts'
import { graphql } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

let world: World
let owner: Address
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
  owner = world.market.accounts[0]?.address ?? expect.fail()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const send = (data: string) =>
  world.chain.rpc.call('eth_sendTransaction', [
    { from: owner, to: composableCow, data, gas: toQuantity(1_000_000) },
  ])

/** The programmatic order, once it is in a state. */
const becomes = (params: ConditionalOrderParams, status: string) =>
  eventually(`it is ${status}`, async () => {
    const document = `{ programmaticOrder(owner: "${owner}", hash: "${paramsId(params)}") {
      status startsAt context removedBlock readBlock network { contracts { composableCow } } nextPart { index } } }`
    // biome-ignore lint/suspicious/noExplicitAny: the document decides the shape
    const { programmaticOrder } = (await graphql(world.url, document)) as any
    return programmaticOrder?.readBlock != null && programmaticOrder.status === status && programmaticOrder
  })

test('the service follows a TWAP from its creation to its removal', async () => {
  const { USDC, WETH } = world.market.tokens
  const input = twapInput({ sellToken: USDC.address, buyToken: WETH.address, t0: 0n })
  const params = { handler: twapHandler, salt: word(1), staticInput: encodeStaticInput('TWAP', input) }
  await send(calls.createNow(params))
  const created = await becomes(params, 'ACTIVE')
  expect(created).toMatchObject({ removedBlock: null, nextPart: { index: 0 } })
  expect(created.context).toBe(word(created.startsAt))
  expect(created.network.contracts).toEqual({ composableCow })
  await send(calls.remove(params))
  await world.chain.rpc.call('anvil_mine', [toQuantity(40)])
  expect(await becomes(params, 'CANCELLED')).toMatchObject({ startsAt: created.startsAt, nextPart: null })
})
