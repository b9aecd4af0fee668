import { Interface, Transaction, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainLogs } from '../../../src/chain/logs/chain-logs.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { encodeSettle, encodeTrade } from '../../../src/chain/settlement/call.ts'
import { minedSettlements } from '../../../src/chain/settlement/mined.ts'
import { createSettlementSequence } from '../../../src/chain/settlement/sequence.ts'
import {
  createSettler,
  type SettlerOptions,
  type SubmitLimits,
} from '../../../src/chain/settlement/settler.ts'
import { createSettlementTracer } from '../../../src/chain/settlement/trace.ts'
import { createAccountBalances } from '../../../src/chain/transaction/account-balances.ts'
import testToken from '../../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { maxUint256 } from '../../../src/domain/amount.ts'
import { zeroAppData } from '../../../src/domain/app-data/document.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import type { Interaction, OrderData } from '../../../src/domain/order/order.ts'
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
const gwei = 10n ** 9n
const tokenAbi = new Interface(testToken.abi)
/** The price of gas in simulations; the accounts need not be able to pay it. */
const gasPrice = gwei

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
async function settlement(
  auctionId: bigint,
  prices: [bigint, bigint] = [2n, 3n],
  interactions: readonly Interaction[] = [],
) {
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
      sellToken,
      buyToken,
      sellAmount,
      buyAmount,
      validTo,
      receiver: owner,
      appData: zeroAppData,
      feeAmount: 0n,
      kind: 'sell',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
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
    interactions: [[], interactions, []],
    auctionId,
  })
  return { orders, calldata }
}

const settlerWith = (
  poll: () => Promise<unknown>,
  rpc: Rpc = evm.rpc,
  maxFeePerGas = 500n * gwei,
  more: Partial<SettlerOptions> = {},
) =>
  createSettler({
    rpc,
    network,
    privateKey: solverKey,
    sequence: createSettlementSequence(rpc, network, more.maxGas),
    balances: createAccountBalances({ rpc, accounts: new Map(), log: silentLog }),
    maxFeePerGas,
    log: silentLog,
    ...more,
    poll: async () => {
      await poll()
    },
  })
const never = new AbortController().signal
/** Limits of a settlement that may be in this many blocks from now. */
const within = async (blocks: number, more: Partial<SubmitLimits> = {}): Promise<SubmitLimits> => ({
  deadlineBlock: (await head()) + blocks,
  signal: never,
  record: async () => undefined,
  recordCancellation: async () => {},
  isWanted: async () => true,
  gas: 2_000_000n,
  ...more,
})
const settler = () => settlerWith(() => evm.mine())
const head = async () => Number(await evm.rpc.call<Hex>('eth_blockNumber'))
const nonceOf = async (who: Address, block: number | 'latest' = 'latest') =>
  Number(
    await evm.rpc.call<Hex>('eth_getTransactionCount', [who, block === 'latest' ? block : toQuantity(block)]),
  )
const mineAt = async (baseFee: bigint) => {
  await evm.rpc.call('anvil_setNextBlockBaseFeePerGas', [toQuantity(baseFee)])
  await evm.mine()
}
/** Above what a settlement may offer; a cancellation may. */
const dear = 600n * gwei
/** Above what a cancellation may offer. */
const tooDear = 2_560n * gwei
/** Lets base fees fall back. */
const mineCheap = () => mineAt(gwei)

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
    const outcome = await settler().submit(calldata, await within(3))
    expect(outcome).toMatchObject({ outcome: 'success', block: await head() })
    if (outcome.outcome !== 'success') return
    const logs = await chainLogs({ rpc: evm.rpc, network, log: silentLog }, { from: 0, to: outcome.block })
    expect(logs).toMatchObject([
      { type: 'trade', owner: orders[0].owner, orderUid: orders[0].uid, sellAmount: 300n, buyAmount: 200n },
      { type: 'trade', owner: orders[1].owner, orderUid: orders[1].uid, sellAmount: 200n, buyAmount: 300n },
      { type: 'settlement', solver: settler().address, txHash: outcome.txHash, blockNumber: outcome.block },
    ])
    const { rpc } = evm
    const options = { rpc, network, log: silentLog }
    const tracer = createSettlementTracer({ ...options, settlement: network.settlement, now: Date.now })
    const settled = logs.slice(-1).map((log) => ({ ...log, settlements: 1 }))
    const mined = (await minedSettlements({ ...options, tracer }, settled)).get(outcome.txHash)
    const decoded = typeof mined?.calls === 'object' ? mined.calls[0]?.call : undefined
    expect(decoded).toMatchObject({ auctionId: 77n, tokens, clearingPrices: [2n, 3n] })
    expect(decoded?.trades.map(({ signature }) => signature)).toEqual(orders.map((order) => order.signature))
  })

  test('two concurrent settlements are sent one after the other', async () => {
    const both = [await settlement(1n), await settlement(2n)]
    const { address: sender, submit } = settler()
    const nonce = await nonceOf(sender)
    const limits = await within(5)
    const outcomes = await Promise.all(both.map(({ calldata }) => submit(calldata, limits)))
    expect(outcomes).toMatchObject([{ outcome: 'success' }, { outcome: 'success' }])
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
    const outcome = await submit(calldata, await within(3, { extraGas }))
    if (!('gas' in simulated) || outcome.outcome !== 'success') throw new Error('not settled')
    return { simulated: simulated.gas, given: await gasOf(outcome.txHash) }
  }

  test('is the simulated gas plus a quarter, plus the extra gas requested', async () => {
    const { simulated, given } = await submitWith(1_234_567n)
    expect(given).toBe(simulated + simulated / 4n + 1_234_567n)
  })

  test('suffices behind a settlement that writes the same storage', async () => {
    const approvals = (amount: bigint) =>
      Array.from({ length: 60 }, (_, index) => ({
        target: tokens[0],
        value: 0n,
        callData: tokenAbi.encodeFunctionData('approve', [
          address(toQuantity(2n ** 159n + BigInt(index))),
          amount,
        ]) as Hex,
      }))
    const { calldata: first } = await settlement(1n, [2n, 3n], approvals(1n))
    const { calldata: second } = await settlement(2n, [2n, 3n], approvals(2n))
    let recorded = 0
    const { submit } = settlerWith(async () => recorded >= 2 && evm.mine())
    const limits = await within(9, {
      record: async () => {
        recorded++
        return undefined
      },
    })
    const outcomes = await Promise.all([submit(first, limits), submit(second, limits)])
    expect(outcomes).toMatchObject([{ outcome: 'success' }, { outcome: 'success' }])
  })

  test('never exceeds the limit for a transaction', async () => {
    const { given } = await submitWith(100_000_000n)
    expect(given).toBe(16_777_216n)
  })

  test('above what a settlement may use fails in each simulation, and is not sent', async () => {
    const { calldata } = await settlement(1n)
    const { address: sender, submit } = settlerWith(() => evm.mine(), evm.rpc, 500n * gwei, {
      maxGas: 100_000n,
    })
    const nonce = await nonceOf(sender)
    const tooMuch = /it uses \d{6} gas, and a settlement may use 100000$/
    expect(await submit(calldata, await within(3))).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(tooMuch),
    })
    expect(await nonceOf(sender)).toBe(nonce)
    const sequence = createSettlementSequence(evm.rpc, network, 100_000n)
    expect(await sequence.simulate([{ sender, calldata, gas: 2_000_000n }], gasPrice)).toEqual([
      { revert: expect.stringMatching(tooMuch) },
    ])
  })

  test('that the account cannot pay for is not sent, and the reason has both amounts', async () => {
    const { calldata } = await settlement(1n)
    await mineCheap()
    const { address: sender, submit } = settler()
    const nonce = await nonceOf(sender)
    const balance = await evm.rpc.call<Hex>('eth_getBalance', [sender, 'latest'])
    await evm.rpc.call('anvil_setBalance', [sender, toQuantity(gwei)])
    const outcome = await submit(calldata, await within(3))
    await evm.rpc.call('anvil_setBalance', [sender, balance])
    expect(outcome).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(
        /^not sent: its account has 0 of the native coin, and the transaction may cost 0\.00\d+$/,
      ),
    })
    expect(await nonceOf(sender)).toBe(nonce)
    expect(await submit(calldata, await within(3))).toMatchObject({ outcome: 'success' })
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
    expect(await submit(calldata, await within(3))).toEqual({
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
    const outcome = await refusing.submit(calldata, await within(3))
    await evm.rpc.call('anvil_setCode', [allowList, codeReturning(1n)])
    expect(outcome).toMatchObject({ outcome: 'failed', reason: 'GPv2: not a solver', block: await head() })
    expect(outcome).toHaveProperty('txHash')
  })

  test('nothing is sent after the deadline, or once the caller has aborted', async () => {
    const { calldata } = await settlement(1n)
    const block = await head()
    const failed = { outcome: 'failed', reason: 'not sent: its time was over', block }
    expect(await settler().submit(calldata, await within(1))).toEqual(failed)
    const signal = AbortSignal.abort()
    expect(await settler().submit(calldata, await within(9, { signal }))).toEqual(failed)
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
    const limits = await within(3)
    await expect(submit(calldata, limits)).rejects.toThrow(Outage)
    away = false
    expect(await submit(calldata, limits)).toMatchObject({ outcome: 'success' })
  })
})

describe('a pending settlement', () => {
  /** Mines a block in each poll: `blocks` at this base fee, then cheap ones. */
  const dearFor = async (blocks: number, baseFee = dear) => {
    const end = (await head()) + blocks
    let last: Promise<unknown> = Promise.resolve()
    // One block after the other: two that wait at once would share a fee that is set for one.
    return () => {
      last = last.then(async () => ((await head()) < end ? mineAt(baseFee) : mineCheap()))
      return last
    }
  }
  const pricesOf = (sent: readonly Hex[]) => sent.map((raw) => Transaction.from(raw).maxFeePerGas ?? 0n)

  test('is cancelled a block before its deadline, so that it can never be mined', async () => {
    const { calldata } = await settlement(1n)
    const slow = settlerWith(await dearFor(4))
    const nonce = await nonceOf(slow.address)
    const cancellations: Hex[] = []
    const recordCancellation = async (hash: Hex) => void cancellations.push(hash)
    const limits = await within(5, { recordCancellation })
    const outcome = await slow.submit(calldata, limits)
    expect(outcome).toMatchObject({ outcome: 'timeout' })
    const [cancellation] = cancellations.splice(-1)
    expect(await evm.rpc.call('eth_getTransactionReceipt', [cancellation])).toMatchObject({
      gasUsed: toQuantity(21_000),
      from: slow.address,
      to: slow.address,
    })
    expect(await nonceOf(slow.address, limits.deadlineBlock - 1)).toBe(nonce)
    expect(await nonceOf(slow.address, limits.deadlineBlock)).toBe(nonce + 1)
    await mineCheap()
    const txHash = 'txHash' in outcome ? outcome.txHash : undefined
    expect(await evm.rpc.call('eth_getTransactionReceipt', [txHash])).toBeNull()
    expect(await slow.simulate(calldata)).toHaveProperty('gas')
  })

  test('is cancelled with the gas that the code of its account needs (EIP-7702)', async () => {
    const { calldata } = await settlement(1n)
    const code = address(`0x${'7c'.repeat(20)}`)
    // PUSH1 0 SLOAD STOP: what a wallet does when it is paid.
    await evm.rpc.call('anvil_setCode', [code, '0x60005400'])
    const cancellations: Hex[] = []
    const slow = settlerWith(() => mineCheap())
    await evm.rpc.call('anvil_setCode', [slow.address, `0xef0100${code.slice(2)}`])
    const outcome = await slow.submit(
      calldata,
      await within(50, {
        isWanted: async () => false,
        recordCancellation: async (hash) => void cancellations.push(hash),
      }),
    )
    await evm.rpc.call('anvil_setCode', [slow.address, '0x'])
    expect(outcome).toMatchObject({ outcome: 'withdrawn' })
    const receipt = await evm.rpc.call<Record<string, Hex>>('eth_getTransactionReceipt', [cancellations[0]])
    expect(receipt.status).toBe('0x1')
    expect(Number(receipt.gasUsed)).toBeGreaterThan(21_000)
  })

  test('whose receipt comes later than its nonce is no timeout', async () => {
    const { calldata } = await settlement(1n)
    let missing = 6
    let clock = 0
    const answerOf = async <T>(method: string, answer: Promise<T>) =>
      method === 'eth_getTransactionReceipt' && missing-- > 0 ? (null as T) : answer
    const rpc: Rpc = {
      batch: evm.rpc.batch,
      call: <T>(method: string, params?: readonly unknown[]) =>
        answerOf(method, evm.rpc.call<T>(method, params)),
    }
    const poll = async () => {
      clock += 700
      await evm.mine()
    }
    const { submit } = settlerWith(poll, rpc, undefined, { now: () => clock })
    expect(await submit(calldata, await within(50))).toMatchObject({ outcome: 'success' })
  })

  test('whose nonce another transaction took is a timeout, after some blocks and some time', async () => {
    const { calldata } = await settlement(1n)
    let clock = 0
    const poll = async () => {
      if (clock === 0) await takeNonce()
      clock += 1_000
      await mineCheap()
    }
    const takeNonce = async () => {
      await evm.rpc.call('anvil_dropAllTransactions')
      const sender = new Wallet(solverKey)
      const nonce = await nonceOf(address(sender.address))
      const fees = { maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: 50n * gwei }
      const transfer = { type: 2, chainId: 31337, nonce, to: sender.address, gasLimit: 21_000n, ...fees }
      await evm.rpc.call('eth_sendRawTransaction', [await sender.signTransaction(transfer)])
    }
    const { submit } = settlerWith(poll, evm.rpc, undefined, { now: () => clock })
    expect(await submit(calldata, await within(50))).toMatchObject({ outcome: 'timeout' })
    expect(clock).toBe(6_000)
  })

  test('is cancelled at once when it is not wanted any more', async () => {
    const { calldata } = await settlement(1n)
    const slow = settlerWith(() => mineCheap())
    const nonce = await nonceOf(slow.address)
    const start = await head()
    const outcome = await slow.submit(calldata, await within(50, { isWanted: async () => false }))
    expect(outcome).toMatchObject({ outcome: 'withdrawn' })
    expect(await nonceOf(slow.address, start + 1)).toBe(nonce + 1)
    const txHash = 'txHash' in outcome ? outcome.txHash : undefined
    expect(await evm.rpc.call('eth_getTransactionReceipt', [txHash])).toBeNull()
  })

  test('that blocks later ones is cancelled with them, and the account sends again', async () => {
    const both = [await settlement(1n), await settlement(2n)]
    const mineNext = await dearFor(4)
    let recorded = 0
    const { address: sender, submit } = settlerWith(async () => recorded >= 2 && mineNext())
    const nonce = await nonceOf(sender)
    const limits = await within(5, {
      record: async () => {
        recorded++
        return undefined
      },
    })
    expect(await Promise.all(both.map(({ calldata }) => submit(calldata, limits)))).toMatchObject([
      { outcome: 'timeout' },
      { outcome: 'timeout' },
    ])
    expect(await nonceOf(sender)).toBe(nonce + 2)
    await mineCheap()
    const [first] = both
    expect(await settler().submit(first?.calldata ?? '0x', await within(5))).toMatchObject({
      outcome: 'success',
    })
  })

  test('that missed its deadline is no timeout while it may still be mined', async () => {
    const { calldata } = await settlement(1n)
    const limits = await within(3)
    const { address: sender, submit } = settlerWith(await dearFor(6, tooDear))
    const nonce = await nonceOf(sender)
    expect(await submit(calldata, limits)).toMatchObject({ outcome: 'timeout' })
    expect(await nonceOf(sender, limits.deadlineBlock + 3)).toBe(nonce)
    expect(await nonceOf(sender)).toBe(nonce + 1)
  })

  test('costs an eighth more with each block, up to the cap', async () => {
    const { calldata } = await settlement(1n)
    await mineCheap()
    const sent: Hex[] = []
    const record: SubmitLimits['record'] = async ({ raw }) => void sent.push(raw)
    const risingWith = async () => {
      const last = pricesOf(sent).at(-1) ?? 0n
      await (last < 40n * gwei ? mineAt(last + gwei) : mineCheap())
    }
    const slow = settlerWith(risingWith, evm.rpc, 40n * gwei)
    const outcome = await slow.submit(calldata, await within(20, { record }))
    expect(outcome).toMatchObject({ outcome: 'success' })
    const prices = pricesOf(sent)
    expect(prices.length).toBeGreaterThan(2)
    expect(prices.at(-1)).toBe(40n * gwei)
    for (const [index, price] of prices.entries()) {
      const before = prices[index - 1]
      if (before !== undefined) expect(price).toBeGreaterThanOrEqual(before + before / 8n)
    }
    expect(new Set(sent.map((raw) => Transaction.from(raw).nonce)).size).toBe(1)
  })

  test('is not sent while a unit of gas costs more than the cap', async () => {
    const { calldata } = await settlement(1n)
    await mineAt(dear)
    const { address: sender, submit } = settler()
    const nonce = await nonceOf(sender)
    expect(await submit(calldata, await within(5))).toMatchObject({
      outcome: 'failed',
      reason: 'not sent: gas costs 600 gwei, and a settlement may offer 500',
    })
    expect(await nonceOf(sender)).toBe(nonce)
    await mineCheap()
  })

  test('is left as it is when the caller stops, and taken over by the next', async () => {
    const { calldata } = await settlement(1n)
    const stop = new AbortController()
    let recorded: Hex | undefined
    const first = settlerWith(async () => stop.abort())
    const limits = await within(9, {
      signal: stop.signal,
      record: async ({ raw }) => {
        recorded = raw
        return undefined
      },
    })
    const nonce = await nonceOf(first.address)
    expect(await first.submit(calldata, limits)).toEqual({ outcome: 'left' })
    const next = settler()
    const other = await settlement(2n)
    const resumed = next.resume(recorded ?? '0x', await within(9))
    const sent = next.submit(other.calldata, await within(9))
    expect(await Promise.all([resumed, sent])).toMatchObject([{ outcome: 'success' }, { outcome: 'success' }])
    expect(await nonceOf(first.address)).toBe(nonce + 2)
  })

  test('that was recorded and never sent is cancelled by the next', async () => {
    const { calldata } = await settlement(1n)
    let recorded: Hex | undefined
    const stop = new AbortController()
    const first = settlerWith(() => evm.mine())
    const record: SubmitLimits['record'] = async ({ raw }) => {
      recorded = raw
      stop.abort()
      return undefined
    }
    const reason = 'not sent: its time was over'
    expect(await first.submit(calldata, await within(9, { signal: stop.signal, record }))).toMatchObject({
      reason,
    })
    const nonce = await nonceOf(first.address)
    const next = settler()
    const other = await settlement(2n)
    const resumed = next.resume(recorded ?? '0x', await within(9))
    const sent = next.submit(other.calldata, await within(9))
    expect(await Promise.all([resumed, sent])).toMatchObject([{ outcome: 'timeout' }, { outcome: 'success' }])
    expect(await nonceOf(first.address)).toBe(nonce + 2)
    expect(await next.simulate(calldata)).toHaveProperty('gas')
  })

  test('that may not be sent when it is recorded is not', async () => {
    const { calldata } = await settlement(1n)
    const { address: sender, submit } = settler()
    const nonce = await nonceOf(sender)
    const limits = await within(9, { record: async () => 'an order was cancelled' })
    expect(await submit(calldata, limits)).toMatchObject({
      outcome: 'failed',
      reason: 'an order was cancelled',
    })
    await evm.mine()
    expect(await nonceOf(sender)).toBe(nonce)
  })

  test('holds its nonce while the node has forgotten it, and is sent again', async () => {
    const [{ calldata }, other] = [await settlement(1n), await settlement(2n)]
    let drops = 1
    const forgetful = settlerWith(async () => {
      if (drops-- > 0) await evm.rpc.call('anvil_dropAllTransactions')
      await evm.mine()
    })
    const nonce = await nonceOf(forgetful.address)
    const both = [calldata, other.calldata]
    const limits = await within(9)
    expect(await Promise.all(both.map((data) => forgetful.submit(data, limits)))).toMatchObject([
      { outcome: 'success' },
      { outcome: 'success' },
    ])
    expect(await nonceOf(forgetful.address)).toBe(nonce + 2)
  })

  test('whose broadcast is lost is sent again with the next block', async () => {
    const { calldata } = await settlement(1n)
    const lossy = settlerWith(
      () => evm.mine(),
      rpcWithBroadcastHook(1, async () => Promise.reject(new Outage('the network node'))),
    )
    const block = await head()
    expect(await lossy.submit(calldata, await within(6))).toMatchObject({
      outcome: 'success',
      block: block + 2,
    })
  })

  test('whose broadcast arrived, although its response did not, is no failure', async () => {
    const { calldata } = await settlement(1n)
    const doubling = settlerWith(
      () => evm.mine(),
      rpcWithBroadcastHook(1, (raw) => evm.rpc.call('eth_sendRawTransaction', [raw])),
    )
    expect(await doubling.submit(calldata, await within(4))).toMatchObject({
      outcome: 'success',
      block: await head(),
    })
  })
})

describe('settlements after each other', () => {
  const callOf = (calldata: Hex, sender = settler().address) => ({ sender, calldata, gas: 2_000_000n })

  test('are simulated on the state that those before leave, and a failing one leaves none', async () => {
    const [{ calldata: first }, { calldata: second }] = [await settlement(1n), await settlement(2n)]
    const { calldata: dear } = await settlement(3n, [1n, 3n])
    const sequence = createSettlementSequence(evm.rpc, network)
    const other = address(alice.address)
    const calls = [callOf(first), callOf(first), callOf(dear), callOf(second, other), callOf(second)]
    expect(await sequence.simulate(calls, gasPrice)).toEqual([
      { gas: expect.any(BigInt) },
      { revert: 'GPv2: order filled' },
      { revert: 'GPv2: limit price not respected' },
      { gas: expect.any(BigInt) },
      { revert: 'GPv2: order filled' },
    ])
  })

  test('come after those that are sent', async () => {
    const { calldata } = await settlement(1n)
    const sequence = createSettlementSequence(evm.rpc, network)
    const remove = sequence.add(callOf(calldata))
    expect(await sequence.simulate([callOf(calldata)], gasPrice)).toEqual([{ revert: 'GPv2: order filled' }])
    remove()
    expect(await sequence.simulate([callOf(calldata)], gasPrice)).toEqual([{ gas: expect.any(BigInt) }])
  })

  test('use no more gas than they are given', async () => {
    const { calldata } = await settlement(1n)
    const sequence = createSettlementSequence(evm.rpc, network)
    const [simulation] = await sequence.simulate([{ ...callOf(calldata), gas: 60_000n }], gasPrice)
    expect(simulation).toHaveProperty('revert')
    const [tooMuch] = await sequence.simulate([{ ...callOf(calldata), gas: 10n ** 12n }], gasPrice)
    expect(tooMuch).toEqual({ revert: 'no gas is left to simulate it' })
  })

  test('are an outage at a node that ignores state overrides', async () => {
    const { calldata } = await settlement(1n)
    const rpc: Rpc = { ...evm.rpc, call: (method, [call, block] = []) => evm.rpc.call(method, [call, block]) }
    await expect(
      createSettlementSequence(rpc, network).simulate([callOf(calldata)], gasPrice),
    ).rejects.toThrow(Outage)
  })
})
