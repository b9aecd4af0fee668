import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainLogs } from '../../../src/chain/logs/chain-logs.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { encodeSettle, encodeTrade, settlementOf } from '../../../src/chain/settlement/call.ts'
import { createSettler } from '../../../src/chain/settlement/settler.ts'
import testToken from '../../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { maxUint256 } from '../../../src/domain/amount.ts'
import { zeroAppData } from '../../../src/domain/app-data/document.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import type { OrderData } from '../../../src/domain/order/order.ts'
import { orderTypes, orderUid } from '../../../src/domain/signing/signing.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { codeReturning, createNetwork, deploySettlement, type Evm, startEvm } from '../../setup/evm.ts'

// The well-known funded accounts of a development chain.
const solverKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const alice = new Wallet('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a')
const bob = new Wallet('0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6')

let evm: Evm
let network: Network
let allowList: Address
let tokens: [Address, Address]
let lastTerm = 4_000_000_000

beforeAll(async () => {
  evm = await startEvm()
  const deployed = await deploySettlement(evm)
  const settlement = deployed.settlement.address
  allowList = deployed.allowList
  network = createNetwork({ settlement, vaultRelayer: deployed.vaultRelayer, firstBlock: 1 })
  const funded = async (symbol: string, owner: Wallet) => {
    const token = await evm.deploy(testToken, ['string', 'string', 'uint8'], [symbol, symbol, 18])
    await token.write('mint', [owner.address, 1_000_000n])
    await token.write('approve', [network.vaultRelayer, maxUint256], address(owner.address))
    return token.address
  }
  tokens = [await funded('A', alice), await funded('B', bob)]
})
afterAll(() => evm[Symbol.asyncDispose]())

/** Alice sells A for B and Bob B for A, each time with new orders; 3 A cost 2 B. */
async function settlement(auctionId: bigint, prices: [bigint, bigint] = [2n, 3n]) {
  const domain = {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: 31337,
    verifyingContract: network.settlement,
  }
  const validTo = --lastTerm
  const sign = async (wallet: Wallet, from: 0 | 1, sellAmount: bigint, buyAmount: bigint) => {
    const [sellToken, buyToken] = from === 0 ? tokens : ([tokens[1], tokens[0]] as const)
    const owner = address(wallet.address)
    const terms: OrderData = {
      ...{ sellToken, buyToken, sellAmount, buyAmount, validTo, receiver: owner, appData: zeroAppData },
      ...{ feeAmount: 0n, kind: 'sell', partiallyFillable: false },
      ...{ sellTokenBalance: 'erc20', buyTokenBalance: 'erc20' },
    }
    const signature = (await wallet.signTypedData(domain, orderTypes, terms)) as Hex
    const uid = orderUid({ chainId: 31337, settlement: network.settlement }, terms, owner)
    return { ...terms, owner, signingScheme: 'eip712' as const, signature, uid }
  }
  const orders = [await sign(alice, 0, 300n, 190n), await sign(bob, 1, 200n, 290n)] as const
  const trades = [
    encodeTrade(orders[0], { sell: 0, buy: 1 }, 0n),
    encodeTrade(orders[1], { sell: 1, buy: 0 }, 0n),
  ]
  const calldata = encodeSettle({
    tokens,
    clearingPrices: prices,
    trades,
    interactions: [[], [], []],
    auctionId,
  })
  return { orders, calldata }
}

const settlerWith = (poll: () => Promise<unknown>, rpc: Rpc = evm.rpc) =>
  createSettler({
    rpc,
    network,
    privateKey: solverKey,
    log: silentLog,
    poll: async () => {
      await poll()
    },
  })
const settler = () => settlerWith(() => evm.mine())
const head = async () => Number(await evm.rpc.call<Hex>('eth_blockNumber'))
const nonceOf = async (who: Address) =>
  Number(await evm.rpc.call<Hex>('eth_getTransactionCount', [who, 'latest']))
/** Mines a block with a base fee that nothing pending can pay. */
const mineDear = async () => {
  await evm.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x2540be40000'])
  await evm.mine()
}
/** Lets base fees fall back. */
const mineCheap = async () => {
  await evm.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  await evm.mine()
}

/** Runs `before` ahead of the nth broadcast (counted from 1). */
function rpcWithBroadcastHook(nth: number, before: (raw: unknown) => Promise<unknown>): Rpc {
  let broadcasts = 0
  return {
    batch: evm.rpc.batch,
    async call<T>(method: string, params?: readonly unknown[]) {
      if (method === 'eth_sendRawTransaction' && ++broadcasts === nth) await before(params?.[0])
      return evm.rpc.call<T>(method, params)
    },
  }
}

describe('success', () => {
  test('a settlement of two orders is mined with the intended transfers and logs', async () => {
    const { orders, calldata } = await settlement(77n)
    const outcome = await settler().submit(calldata, { deadlineBlock: (await head()) + 3 })
    expect(outcome).toMatchObject({ outcome: 'success', block: await head() })
    if (outcome.outcome !== 'success') return
    const logs = await chainLogs({ rpc: evm.rpc, network, log: silentLog }, 0, outcome.block)
    expect(logs).toMatchObject([
      { type: 'trade', owner: orders[0].owner, orderUid: orders[0].uid, sellAmount: 300n, buyAmount: 200n },
      { type: 'trade', owner: orders[1].owner, orderUid: orders[1].uid, sellAmount: 200n, buyAmount: 300n },
      { type: 'settlement', solver: settler().address, txHash: outcome.txHash, blockNumber: outcome.block },
    ])
    const decoded = await settlementOf(evm.rpc, outcome.txHash)
    expect(decoded).toMatchObject({ auctionId: 77n, tokens, clearingPrices: [2n, 3n] })
    expect(decoded?.trades.map(({ signature }) => signature)).toEqual(orders.map((order) => order.signature))
  })

  test('two concurrent settlements are sent one after the other', async () => {
    const both = [await settlement(1n), await settlement(2n)]
    const { address: sender, submit } = settler()
    const nonce = await nonceOf(sender)
    const deadlineBlock = (await head()) + 5
    const outcomes = await Promise.all(both.map(({ calldata }) => submit(calldata, { deadlineBlock })))
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['success', 'success'])
    expect(outcomes[1]?.block).toBe((outcomes[0]?.block ?? 0) + 1)
    expect(await nonceOf(sender)).toBe(nonce + 2)
  })
})

describe('gas', () => {
  const gasOf = async (txHash: Hex) => {
    const { gas } = await evm.rpc.call<{ gas: Hex }>('eth_getTransactionByHash', [txHash])
    return BigInt(gas)
  }
  const submitWith = async (extraGas: bigint) => {
    const { calldata } = await settlement(1n)
    const { simulate, submit } = settler()
    const simulated = await simulate(calldata)
    const outcome = await submit(calldata, { deadlineBlock: (await head()) + 3, extraGas })
    if (!('gas' in simulated) || outcome.outcome !== 'success') throw new Error('not settled')
    return { simulated: simulated.gas, given: await gasOf(outcome.txHash) }
  }

  test('is the simulated gas plus a quarter, plus the extra gas requested', async () => {
    const { simulated, given } = await submitWith(1_234_567n)
    expect(given).toBe(simulated + simulated / 4n + 1_234_567n)
  })

  test('never exceeds the limit for a transaction', async () => {
    const { given } = await submitWith(100_000_000n)
    expect(given).toBe(16_777_216n)
  })

  test('of a dry run is its gas limit', async () => {
    const { calldata } = await settlement(1n)
    const { dryRun } = settler()
    expect(await dryRun(calldata, 1_000_000n)).toBeUndefined()
    expect(await dryRun(calldata, 60_000n)).toMatch(/gas/i)
    const { calldata: dear } = await settlement(1n, [1n, 3n])
    expect(await dryRun(dear, 1_000_000n)).toBe('GPv2: limit price not respected')
  })
})

describe('failure', () => {
  test('a settlement that reverts in simulation is not sent', async () => {
    const { calldata } = await settlement(1n, [1n, 3n])
    const { address: sender, simulate, submit } = settler()
    const nonce = await nonceOf(sender)
    const revert = 'GPv2: limit price not respected'
    expect(await simulate(calldata)).toEqual({ revert })
    const block = await head()
    expect(await submit(calldata, { deadlineBlock: block + 3 })).toEqual({
      outcome: 'failed',
      reason: revert,
      block,
    })
    expect(await nonceOf(sender)).toBe(nonce)
  })

  test('a settlement that reverts on chain reports the reason', async () => {
    const { calldata } = await settlement(1n)
    const refusing = settlerWith(async () => {
      await evm.rpc.call('anvil_setCode', [allowList, codeReturning(0n)])
      await evm.mine()
    })
    const outcome = await refusing.submit(calldata, { deadlineBlock: (await head()) + 3 })
    await evm.rpc.call('anvil_setCode', [allowList, codeReturning(1n)])
    expect(outcome).toMatchObject({ outcome: 'failed', reason: 'GPv2: not a solver', block: await head() })
    expect(outcome).toHaveProperty('txHash')
  })

  test('nothing is sent after the deadline, or once the caller has aborted', async () => {
    const { calldata } = await settlement(1n)
    const block = await head()
    const failed = { outcome: 'failed', reason: 'not sent: its time was over', block }
    expect(await settler().submit(calldata, { deadlineBlock: block })).toEqual(failed)
    const signal = AbortSignal.abort()
    expect(await settler().submit(calldata, { deadlineBlock: block + 9, signal })).toEqual(failed)
  })

  test('a node that is away before sending is an outage, and the next settlement proceeds', async () => {
    let away = true
    const rpc: Rpc = {
      batch: evm.rpc.batch,
      call: (method, params) =>
        away ? Promise.reject(new Outage('the network node')) : evm.rpc.call(method, params),
    }
    const { calldata } = await settlement(1n)
    const { submit } = settlerWith(() => evm.mine(), rpc)
    const limits = { deadlineBlock: (await head()) + 3 }
    await expect(submit(calldata, limits)).rejects.toThrow(Outage)
    away = false
    expect(await submit(calldata, limits)).toMatchObject({ outcome: 'success' })
  })
})

describe('timeout', () => {
  test('cancels the transaction, so that the settlement can never be mined', async () => {
    const { calldata } = await settlement(1n)
    const deadlineBlock = (await head()) + 2
    const slow = settlerWith(async () => ((await head()) < deadlineBlock ? mineDear() : evm.mine()))
    const nonce = await nonceOf(slow.address)
    const outcome = await slow.submit(calldata, { deadlineBlock })
    expect(outcome).toMatchObject({ outcome: 'timeout', block: deadlineBlock })
    expect(await nonceOf(slow.address)).toBe(nonce + 1)
    await mineCheap()
    expect('txHash' in outcome && (await settlementOf(evm.rpc, outcome.txHash))).toBeFalsy()
    expect(await slow.simulate(calldata)).toHaveProperty('gas')
  })

  test('an abort signal ends the wait early, and cancels too', async () => {
    const { calldata } = await settlement(1n)
    const stop = new AbortController()
    const deadlineBlock = (await head()) + 1000
    const given = settlerWith(async () => (stop.signal.aborted ? evm.mine() : stop.abort()))
    const nonce = await nonceOf(given.address)
    const outcome = await given.submit(calldata, { deadlineBlock, signal: stop.signal })
    expect(outcome).toMatchObject({ outcome: 'timeout' })
    expect(await nonceOf(given.address)).toBe(nonce + 1)
    expect(await given.simulate(calldata)).toHaveProperty('gas')
  })

  test('a settlement mined before its cancellation is a success', async () => {
    const { calldata } = await settlement(1n)
    const stop = new AbortController()
    const late = settlerWith(
      async () => stop.abort(),
      rpcWithBroadcastHook(2, () => evm.mine()),
    )
    const outcome = await late.submit(calldata, { deadlineBlock: (await head()) + 9, signal: stop.signal })
    expect(outcome).toMatchObject({ outcome: 'success', block: await head() })
  })

  test('a lost broadcast is repeated with the next block', async () => {
    const { calldata } = await settlement(1n)
    const lossy = settlerWith(
      () => evm.mine(),
      rpcWithBroadcastHook(1, async () => Promise.reject(new Outage('the network node'))),
    )
    const block = await head()
    const outcome = await lossy.submit(calldata, { deadlineBlock: block + 4 })
    expect(outcome).toMatchObject({ outcome: 'success', block: block + 2 })
  })

  test('a broadcast that arrived, although its response did not, is no failure', async () => {
    const { calldata } = await settlement(1n)
    const doubling = settlerWith(
      () => evm.mine(),
      rpcWithBroadcastHook(1, (raw) => evm.rpc.call('eth_sendRawTransaction', [raw])),
    )
    const outcome = await doubling.submit(calldata, { deadlineBlock: (await head()) + 4 })
    expect(outcome).toMatchObject({ outcome: 'success', block: await head() })
  })
})
