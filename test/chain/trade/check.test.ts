import { computeAddress, SigningKey } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { createTokenSlots } from '../../../src/chain/token/slots.ts'
import { fabricateSettlement, presigned } from '../../../src/chain/trade/call.ts'
import { createTradeCheck, type TradeAnswer, type TradeQuestion } from '../../../src/chain/trade/check.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address, nativeMarker, zeroAddress } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { Interaction } from '../../../src/domain/order/order.ts'
import { hooksCall, transferCall, unwrapCall } from '../../../src/domain/settlement/calldata.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { frozenToken, permitHook, putWallet } from '../contracts.ts'
import { type Behaviour, refusing, startScriptedNode } from '../scripted-node.ts'
import { ether, localSlots, startTradeStage, type TradeStage, unknownSlots } from '../trade-stage.ts'

const poorTrader = address(`0x${'7a'.repeat(20)}`)
const friend = address(`0x${'7b'.repeat(20)}`)

let stage: TradeStage
let a: Address
let b: Address
let c: Address
let d: Address
let wrapped: Address
let fee: Address

beforeAll(async () => {
  stage = await startTradeStage()
  ;({ a, b, c, d, wrapped, fee } = stage.tokens)
})
afterAll(() => stage[Symbol.asyncDispose]())

/** A sale along a path, for exactly its output. */
function sale(
  path: readonly Address[],
  sellAmount: bigint,
  more: Partial<TradeQuestion> = {},
): TradeQuestion {
  const { interactions, amountOut } = stage.walk(path, sellAmount)
  return {
    kind: 'sell',
    from: poorTrader,
    receiver: null,
    sellAmount,
    buyAmount: amountOut,
    interactions,
    sellToken: path[0] ?? zeroAddress,
    buyToken: path.at(-1) ?? zeroAddress,
    preInteractions: [],
    postInteractions: [],
    others: [],
    txOrigin: stage.evm.account,
    block: null,
    ...more,
  }
}

const settled = (received: bigint, more: object = {}) => ({
  outcome: 'settled',
  gas: expect.any(BigInt),
  sellSurplus: 0n,
  buySurplus: 0n,
  received,
  ...more,
})
const putCode = async (code: Hex) => {
  const at = address(`0x2${Math.random().toString(16).slice(2).padEnd(39, '0').slice(0, 39)}`)
  await stage.evm.rpc.call('anvil_setCode', [at, code])
  return at
}
const calling = (target: Address, value = 0n): Interaction => ({ target, value, callData: '0x' })
const checkWith = (rpc: Rpc, slots = localSlots) => createTradeCheck({ rpc, network: stage.network, slots })

/** The chain behind a node that counts HTTP requests. */
const forwarding = (change: (params: unknown[]) => unknown[] = (params) => params): Behaviour => ({
  answer: async ({ method, params }) => {
    try {
      return { result: await stage.evm.rpc.call(method, change(params)) }
    } catch (fault) {
      const { message, code, data } = fault as { message: string; code: number; data: unknown }
      return { error: { message, code, data } }
    }
  },
})

describe('a trader without a balance', () => {
  test('can trade through one, two and three pools for exactly their output', async () => {
    for (const path of [
      [a, b],
      [a, b, c],
      [a, b, c, d],
      [d, c, wrapped],
    ]) {
      const question = sale(path, 3n * ether + 7n)
      expect(await stage.check(question)).toEqual(settled(question.buyAmount))
    }
    expect(await stage.balance(d, poorTrader)).toBe(0n)
  })

  test('can trade over two parallel paths', async () => {
    const [one, other] = [stage.walk([a, b, c], 5n * ether), stage.walk([a, c], 2n * ether)]
    const buyAmount = one.amountOut + other.amountOut
    const interactions = [...one.interactions, ...other.interactions]
    const question = sale([a, c], 7n * ether, { interactions, buyAmount })
    expect(await stage.check(question)).toEqual(settled(buyAmount))
  })

  test('may be any address or a contract, or name another receiver', async () => {
    const wallet = address(`0x${'7c'.repeat(20)}`)
    await putWallet(stage.evm.rpc, wallet, friend)
    for (const more of [
      { from: zeroAddress },
      { from: wallet },
      { receiver: friend },
      { receiver: poorTrader },
      { receiver: zeroAddress },
      { receiver: wallet },
    ]) {
      const question = sale([a, b], ether, more)
      expect(await stage.check(question)).toEqual(settled(question.buyAmount))
    }
  })

  test('the solver sends the transaction', async () => {
    const isFriend = `3273${friend.slice(2)}14601f57`
    const demanding = await putCode(`0x${isFriend}60006000fd5b00`)
    const { interactions, ...question } = sale([a, b], ether)
    const asking = { ...question, interactions: [...interactions, calling(demanding)] }
    expect(await stage.check(asking)).toMatchObject({ outcome: 'failed' })
    expect(await stage.check({ ...asking, txOrigin: friend })).toEqual(settled(question.buyAmount))
  })

  test('can buy as well as sell', async () => {
    const question = sale([a, b, c], ether, { kind: 'buy' })
    expect(await stage.check(question)).toEqual(settled(question.buyAmount))
  })

  test('can trade any amount', async () => {
    const paths = [
      [a, b],
      [c, b, a],
      [a, b, c, d],
      [wrapped, c, a],
    ].map((path) => fc.constant(path))
    const amounts = fc.bigInt({ min: 100n, max: 400n * ether })
    await fc.assert(
      fc.asyncProperty(fc.oneof(...paths), amounts, async (path, amount) => {
        const question = sale(path, amount)
        expect(await stage.check(question)).toEqual(settled(question.buyAmount))
        const greedy = await stage.check({ ...question, buyAmount: question.buyAmount + 1n })
        expect(greedy).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/balance/) })
      }),
      { numRuns: 15 },
    )
  })
})

describe('the native coin', () => {
  test('is paid out as native coin', async () => {
    const question = sale([a, c, wrapped], ether, { buyToken: nativeMarker })
    expect(await stage.check(question)).toEqual(settled(question.buyAmount))
    expect(await stage.check({ ...question, receiver: friend })).toEqual(settled(question.buyAmount))
  })

  test('counts together with its wrapped form, whichever of them is left over', () =>
    stage.trying(async () => {
      const question = sale([a, c, wrapped], ether, { buyToken: nativeMarker })
      const buyAmount = question.buyAmount - 5n
      expect(await stage.check({ ...question, buyAmount })).toEqual(settled(buyAmount, { buySurplus: 5n }))
      await stage.give(wrapped, stage.network.settlement, ether)
      const unwrapped = [...question.interactions, unwrapCall(wrapped, question.buyAmount)]
      expect(await stage.check({ ...question, buyAmount, interactions: unwrapped })).toEqual(
        settled(buyAmount, { buySurplus: 5n }),
      )
      const bought = { ...question, buyToken: wrapped, buyAmount, interactions: unwrapped }
      expect(await stage.check(bought)).toEqual(settled(buyAmount, { buySurplus: 5n }))
      const sold = sale([wrapped, c], ether)
      const interactions = [...sold.interactions, unwrapCall(wrapped, 7n)]
      expect(await stage.check({ ...sold, sellAmount: ether + 9n, interactions })).toEqual(
        settled(sold.buyAmount, { sellSurplus: 9n }),
      )
    }))

  test('is exchanged one for one for its wrapped form', async () => {
    const question = sale([wrapped], ether, { buyToken: nativeMarker, buyAmount: ether, interactions: [] })
    expect(await stage.check(question)).toEqual(settled(ether))
    const buyAmount = ether - 3n
    expect(await stage.check({ ...question, buyAmount })).toEqual(settled(buyAmount, { buySurplus: 3n }))
    expect(await stage.check({ ...question, buyAmount, kind: 'buy' })).toEqual(
      settled(buyAmount, { sellSurplus: 3n }),
    )
  })

  test('cannot be paid to a receiver that refuses it', async () => {
    const receiver = await putCode('0x60006000fd')
    const question = sale([a, c, wrapped], ether, { buyToken: nativeMarker, receiver })
    expect(await stage.check(question)).toMatchObject({ outcome: 'failed' })
  })

  test('of the settlement contract is not spent for a trade of tokens', () =>
    stage.trying(async () => {
      await stage.evm.rpc.call('anvil_setBalance', [stage.network.settlement, toQuantity(ether)])
      const { interactions, ...question } = sale([a, b], ether)
      const spending = { ...question, interactions: [...interactions, calling(friend, 1n)] }
      expect(await stage.check(spending)).toMatchObject({
        outcome: 'failed',
        reason: 'it spends native coin of the settlement contract',
      })
    }))
})

describe('the settlement contract’s change in balance', () => {
  test('is reported for both tokens', async () => {
    const question = sale([a, b], ether)
    const buyAmount = question.buyAmount - 11n
    expect(await stage.check({ ...question, sellAmount: ether + 13n, buyAmount })).toEqual(
      settled(buyAmount, { sellSurplus: 13n, buySurplus: 11n }),
    )
  })

  test('is reported as a loss where it pays from its own balance', () =>
    stage.trying(async () => {
      for (const token of [a, b]) await stage.give(token, stage.network.settlement, ether)
      const question = sale([a, b], ether)
      const buyAmount = question.buyAmount + 11n
      expect(await stage.check({ ...question, sellAmount: ether - 13n, buyAmount })).toEqual(
        settled(buyAmount, { sellSurplus: -13n, buySurplus: -11n }),
      )
    }))

  test('excludes what it sells or buys itself', () =>
    stage.trying(async () => {
      const question = sale([a, b], ether)
      const { settlement } = stage.network
      expect(await stage.check({ ...question, receiver: settlement })).toMatchObject({
        sellSurplus: 0n,
        buySurplus: 0n,
      })
      expect(await stage.check({ ...question, from: settlement })).toMatchObject({
        sellSurplus: 0n,
        buySurplus: 0n,
      })
    }))

  test('is lower by the transfer fee of a token', () =>
    stage.trying(async () => {
      expect(await stage.check(sale([fee, b], ether))).toMatchObject({ outcome: 'failed' })
      expect(await stage.check(sale([a, fee], ether))).toMatchObject({ outcome: 'failed' })
      await stage.give(fee, stage.network.settlement, ether)
      const bought = sale([a, fee], ether)
      expect(await stage.check(bought)).toMatchObject({
        buySurplus: -(bought.buyAmount / 100n),
        received: bought.buyAmount - bought.buyAmount / 100n,
      })
    }))
})

describe('gas', () => {
  const unwrapping = () =>
    sale([wrapped], ether, { buyToken: nativeMarker, buyAmount: ether, interactions: [] })
  const cases: [string, () => TradeQuestion][] = [
    ['one swap', () => sale([a, b], ether)],
    ['two swaps', () => sale([a, b, c], ether)],
    ['three swaps', () => sale([a, b, c, d], ether)],
    ['swaps to the native coin', () => sale([a, c, wrapped], ether, { buyToken: nativeMarker })],
    ['unwrapping', unwrapping],
  ]

  /** An atom of each token stays behind, as the fees of a real settlement do. */
  const keeping = (question: TradeQuestion): TradeQuestion => ({
    ...question,
    sellAmount: question.sellAmount + 1n,
    buyAmount: question.buyAmount - 1n,
  })

  test.each(cases)('of %s is what the transaction takes', async (_, plain) => {
    const question = () => keeping(plain())
    for (const held of [0n, 1_000n]) {
      await stage.trying(async () => {
        await stage.evm.rpc.call('anvil_setBalance', [poorTrader, toQuantity(ether)])
        for (const token of held ? [a, b, c, d, wrapped] : []) {
          await stage.give(token, stage.network.settlement, held)
        }
        const answer = await stage.check(question())
        const gas = answer?.outcome === 'settled' ? answer.gas : 0n
        const used = await stage.settle(question())
        expect(Math.abs(Number(gas) / Number(used) - 1)).toBeLessThan(0.05)
      })
    }
  })
})

test('does not include the cost of watching other tokens', async () => {
  const gasOf = async (others: Address[]) => {
    const answer = await stage.check(sale([a, b, c], ether, { others }))
    return answer?.outcome === 'settled' ? Number(answer.gas) : expect.fail('not settled')
  }
  const pools = sale([a, b, c], ether).interactions.map(({ target }) => target)
  expect(Math.abs((await gasOf([d, ...pools])) / (await gasOf([])) - 1)).toBeLessThan(0.03)
})

describe('a failure', () => {
  const failing = async (more: Partial<TradeQuestion>): Promise<TradeAnswer | undefined> =>
    stage.check(sale([a, b], ether, more))

  test('has the message of the contract that failed', async () => {
    const { interactions } = sale([a, b], ether)
    expect(await failing({ interactions: interactions.slice(1) })).toMatchObject({
      outcome: 'failed',
      reason: 'Pool: nothing sent',
    })
    expect(await failing({ interactions: [] })).toMatchObject({ outcome: 'failed', reason: 'Erc20: balance' })
    expect(await failing({ preInteractions: [calling(stage.network.vaultRelayer)] })).toMatchObject({
      outcome: 'failed',
      reason: 'GPv2: forbidden interaction',
    })
  })

  test('has a short message, however much the contract returns and uses', async () => {
    const talkative = await putCode(frozenToken(0xdeadn, 60_000))
    const transferring: Interaction = { ...calling(talkative), callData: `0x23b872dd${'00'.repeat(28)}` }
    expect(await failing({ interactions: [transferring] })).toMatchObject({
      outcome: 'failed',
      reason: `0x${'00'.repeat(8)}…`,
    })
    const hostile = await putCode('0xfe')
    expect(await failing({ interactions: [calling(hostile)] })).toMatchObject({ outcome: 'failed' })
    const endless = await putCode('0x5b600056')
    expect(await failing({ interactions: [calling(endless)] })).toMatchObject({
      outcome: 'failed',
      reason: 'reverted',
    })
  })

  test('may come from a token that uses up all gas, or from an address that is no token', async () => {
    const hostile = await putCode('0xfe')
    const none = address(`0x${'0b'.repeat(20)}`)
    for (const token of [hostile, none]) {
      expect(await failing({ buyToken: token })).toMatchObject({ outcome: 'failed' })
      expect(await failing({ sellToken: token })).toBeUndefined()
    }
  })
})

describe('hooks', () => {
  const key = new SigningKey(`0x${'07'.repeat(32)}`)
  const owner = address(computeAddress(key))
  const permit = () => {
    const { hooksTrampoline, vaultRelayer } = stage.network
    return hooksCall(hooksTrampoline, [permitHook({ chainId: 31337, token: a }, key, vaultRelayer, ether)])
  }

  test('run before the sell tokens are taken, so a permit counts as the approval', () =>
    stage.trying(async () => {
      await stage.give(a, owner, ether)
      const question = sale([a, b], ether, { from: owner })
      const check = checkWith(stage.evm.rpc, unknownSlots)
      expect(await check(question)).toBeUndefined()
      expect(await check({ ...question, preInteractions: [permit()] })).toEqual(settled(question.buyAmount))
    }))

  test('that fail do not fail the settlement', async () => {
    const target = await putCode('0x60006000fd')
    const failing = hooksCall(stage.network.hooksTrampoline, [{ target, callData: '0x', gasLimit: 50_000n }])
    const question = sale([a, b], ether, { preInteractions: [failing], postInteractions: [failing] })
    expect(await stage.check(question)).toEqual(settled(question.buyAmount))
  })

  test('run after the buy tokens have arrived', async () => {
    const question = sale([a, b], ether, {
      receiver: stage.network.settlement,
      postInteractions: [transferCall(b, friend, 5n)],
    })
    expect(await stage.check(question)).toMatchObject({ buySurplus: -5n, received: question.buyAmount - 5n })
  })
})

describe('a token whose storage is unknown', () => {
  const check = (question: TradeQuestion) => checkWith(stage.evm.rpc, unknownSlots)(question)

  test('is simulated only for traders who have the balance', () =>
    stage.trying(async () => {
      expect(await check(sale([a, b], ether))).toBeUndefined()
      await stage.settle(sale([a, b], ether))
      expect(await stage.balance(a, poorTrader)).toBe(9n * ether)
      const question = sale([a, c], ether)
      expect(await check(question)).toEqual(settled(question.buyAmount))
      expect(await check({ ...question, buyAmount: question.buyAmount + 1n })).toMatchObject({
        outcome: 'failed',
      })
      expect(await check(sale([a, c], 10n * ether))).toBeUndefined()
    }))

  test('is not simulated, nor are amounts whose product no contract can hold', async () => {
    const huge = { sellAmount: 2n ** 130n, buyAmount: 2n ** 126n }
    expect(await stage.check(sale([a, b], ether, huge))).toBeUndefined()
  })
})

describe('a block', () => {
  test('is the one whose state the simulation uses', () =>
    stage.trying(async () => {
      const block = Number(await stage.evm.rpc.call<Hex>('eth_blockNumber'))
      const question = sale([a, b], ether)
      await stage.settle(sale([a, b], 100n * ether))
      expect(await stage.check(question)).toMatchObject({ outcome: 'failed' })
      expect(await stage.check({ ...question, block })).toEqual(settled(question.buyAmount))
    }))

  test('that the node lacks is replaced by the newest, and a failure there proves nothing', async () => {
    const question = sale([a, b], ether, { block: 1_000_000 })
    await using node = await startScriptedNode(forwarding())
    const check = checkWith(createRpc({ url: node.url, log: silentLog, retries: 0 }))
    expect(await check(question)).toEqual(settled(question.buyAmount))
    expect(node.requests.map((request) => !Array.isArray(request) && request.params[1])).toEqual([
      'latest',
      toQuantity(1_000_000),
      'latest',
    ])
    await expect(check({ ...question, buyAmount: question.buyAmount + 1n })).rejects.toThrow(Outage)
  })
})

describe('a node', () => {
  const dropping = (account: () => Address) =>
    forwarding(([call, block, overrides]) => {
      const kept = Object.entries((overrides as object | undefined) ?? {}).filter(([at]) => at !== account())
      return overrides ? [call, block, Object.fromEntries(kept)] : [call, block]
    })
  const rpcOf = (node: { url: string }, timeoutMs = 5_000) =>
    createRpc({ url: node.url, log: silentLog, timeoutMs, retries: 0 })

  test.each<[string, Behaviour]>([
    ['is silent', 'silence'],
    ['hangs up', 'hang up'],
    ['returns invalid data', { answer: () => ({ result: '0x1234' }) }],
    ['answers with nothing', { answer: () => ({ result: '0x' }) }],
    ['is overloaded', { status: 503 }],
    ['knows no overrides', refusing('too many arguments, want at most 2')],
    ['fails every call', refusing('execution reverted')],
  ])('that %s is an outage, at first and later', async (_, behaviour) => {
    const timeoutMs = behaviour === 'silence' ? 1_000 : 5_000
    await using atFirst = await startScriptedNode(behaviour)
    await expect(checkWith(rpcOf(atFirst, timeoutMs))(sale([a, b], ether))).rejects.toThrow(Outage)
    await using later = await startScriptedNode(forwarding(), behaviour)
    await expect(checkWith(rpcOf(later, timeoutMs))(sale([a, b], ether))).rejects.toThrow(Outage)
    // A kept connection may be closed before a request comes: that is sent once more, over another.
    expect(later.requests).toHaveLength(behaviour === 'hang up' ? 3 : 2)
  })

  test('that overrides code but not storage is an outage', async () => {
    await using node = await startScriptedNode(dropping(() => stage.network.settlement))
    await expect(checkWith(rpcOf(node))(sale([a, b], ether))).rejects.toThrow(Outage)
  })

  test('gets one request for each trade, once the allow-list and the token are known', async () => {
    await using node = await startScriptedNode(forwarding())
    const rpc = rpcOf(node)
    const check = checkWith(rpc, createTokenSlots({ rpc }))
    await check(sale([a, b], ether))
    const learning = node.requests.length
    for (const path of [
      [a, b],
      [a, b, c],
      [a, c],
    ]) {
      const question = sale(path, ether)
      expect(await check(question)).toEqual(settled(question.buyAmount))
    }
    expect([learning, node.requests.length]).toEqual([3, 6])
  })

  test('that was away is asked again', async () => {
    await using node = await startScriptedNode('hang up', forwarding())
    const check = checkWith(rpcOf(node))
    const question = sale([a, b], ether)
    await expect(check(question)).rejects.toThrow(Outage)
    expect(await check(question)).toEqual(settled(question.buyAmount))
  })

  test('is not waited for once all callers have left', async () => {
    await using node = await startScriptedNode(forwarding(), 'silence')
    const { call, batch } = rpcOf(node, 60_000)
    const called: string[] = []
    const rpc: Rpc = {
      batch,
      call: (method, params) => {
        called.push(method)
        return call(method, params)
      },
    }
    const check = createTradeCheck({ rpc, network: stage.network, slots: localSlots, atOnce: 2 })
    const [leaving, question] = [new AbortController(), sale([a, b], ether)]
    const waiting = check(question, leaving.signal)
    await expect.poll(() => node.requests.length).toBe(2)
    const reason = new Error('nobody waits')
    leaving.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(check(question, leaving.signal)).rejects.toBe(reason)
    await new Promise(setImmediate)
    expect(called).toHaveLength(2)
    check(question).catch(() => {})
    await expect(check(question, leaving.signal)).rejects.toBe(reason)
  })

  test('is protected by a limit on waiting checks', async () => {
    await using node = await startScriptedNode('silence')
    const { network } = stage
    const check = createTradeCheck({ rpc: rpcOf(node, 300), network, slots: localSlots, atOnce: 1 })
    const question = sale([a, b], ether)
    const leaving = new AbortController()
    const waiting = Array.from({ length: 9 }, () => check(question, leaving.signal).catch(() => 'left'))
    const refusal = await check(question).catch((fault: unknown) => fault)
    expect(refusal).toBeInstanceOf(Outage)
    expect(refusal).toMatchObject({
      message: 'the simulation of trades is unavailable',
      cause: new Error('too many wait for it'),
    })
    leaving.abort()
    expect(await Promise.all(waiting)).toEqual(Array(9).fill('left'))
  })
})

test('the signature is forged where the settlement contract looks for it', () =>
  stage.trying(async () => {
    const question = sale([a, b], ether)
    const settlement = fabricateSettlement(
      { ...question, owner: poorTrader, interactions: [[], question.interactions, []] },
      stage.network,
    )
    const stored = () =>
      stage.evm.rpc.call('eth_getStorageAt', [stage.network.settlement, settlement?.slot, 'latest'])
    expect(await stored()).toBe(`0x${'00'.repeat(32)}`)
    await stage.settle(question)
    expect(await stored()).toBe(presigned)
  }))

test('the balance of a rich trader is not lowered, and the allowance is unlimited', async () => {
  const overrides: Record<string, { stateDiff?: Record<string, Hex> }>[] = []
  const noting: Rpc = {
    ...stage.evm.rpc,
    call: (method, params = []) => {
      overrides.push(params[2] as (typeof overrides)[number])
      return stage.evm.rpc.call(method, params)
    },
  }
  const check = checkWith(noting)
  const { balance, allowance } = await localSlots(a)
  const written = (who: Address) => {
    const stateDiff = overrides.at(-1)?.[a]?.stateDiff ?? {}
    const slots = [balance?.(who), allowance?.(who, stage.network.vaultRelayer)]
    return slots.map((slot) => BigInt(stateDiff[slot ?? ''] ?? 0))
  }
  await check(sale([a, b], ether))
  expect(written(poorTrader)).toEqual([2n ** 95n, maxUint256])
  // Many tokens refuse transfers from the zero address.
  await check(sale([a, b], ether, { from: zeroAddress }))
  expect(written(zeroAddress)).toEqual([0n, 0n])
})
