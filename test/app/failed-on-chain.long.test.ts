import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAuction } from '../../src/auctions/run.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { failedGasLimits } from '../../src/domain/settlement/failed-gas.ts'
import { deployOdd } from '../chain/odd-tokens.ts'
import { eventually } from '../setup/eventually.ts'
import type { Evm } from '../setup/evm.ts'
import { type HeldAuctions, type Listed, startHeldAuctions } from '../setup/held-auctions.ts'
import { graphql } from '../setup/trader.ts'

const ether = 10n ** 18n
const hookAbi = new Interface(['function freezeUnless(address owner)'])

let stage: HeldAuctions
beforeAll(async () => {
  stage = await startHeldAuctions()
  const { bank, world } = stage
  await rpc('anvil_setBalance', [bank, toQuantity(10_000n * ether)])
  await rpc('eth_sendTransaction', [
    { from: bank, to: world.market.tokens.WETH.address, value: toQuantity(9_000n * ether) },
  ])
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const rpc = <T>(method: string, params: unknown[] = []) => stage.world.chain.rpc.call<T>(method, params)
const coinsOf = async (account: Address) => BigInt(await rpc<Hex>('eth_getBalance', [account, 'latest']))
const solver = () => stage.world.market.solver.address

interface Attempt {
  outcome: string | null
  txHash: Hex | null
  revertedGas: string | null
  revertedGasCost: string | null
}

/** The attempts to settle the order, once what they cost is known. */
const attemptsOf = (uid: string) =>
  eventually('the cost of its attempts', async () => {
    const { order } = await graphql(
      stage.world.url,
      `query ($uid: OrderUid!) { order(network: SEPOLIA, uid: $uid) { debugReport { auctions(first: 100) {
        nodes { settlementAttempts { outcome txHash revertedGas revertedGasCost } } } } } }`,
      { uid },
    )
    const attempts: Attempt[] = order.debugReport.auctions.nodes.flatMap(
      ({ settlementAttempts }: { settlementAttempts: Attempt[] }) => settlementAttempts,
    )
    const failed = attempts.filter(({ outcome, txHash }) => outcome === 'FAILED' && txHash)
    return failed.every(({ revertedGas }) => revertedGas !== null) && { failed }
  })

/** The wei that the failed transactions burnt, by their receipts. */
async function burntBy(attempts: readonly Attempt[]): Promise<bigint> {
  const receipts = await Promise.all(
    attempts.map(({ txHash }) =>
      rpc<{ status: Hex; gasUsed: Hex; effectiveGasPrice: Hex }>('eth_getTransactionReceipt', [txHash]),
    ),
  )
  for (const { status } of receipts) expect(status).toBe('0x0')
  return receipts.reduce(
    (sum, receipt) => sum + BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
    0n,
  )
}

const sum = (values: readonly (string | null)[]) =>
  values.reduce((all, value) => all + BigInt(value ?? 0), 0n)

const contexts = {
  'the price of gas': 0n,
  'a price below the base fee': 1n,
  'the number of the block': 2n,
  'the time of the block': 3n,
  'the random number of the block': 4n,
  'the hash of the block before': 5n,
}

/** From now on the token or wallet passes in calls at the newest block, and not in the next one. */
const mark = async (contract: Pick<Listed, 'write'>) => {
  await contract.write('mark', [])
  // The next block comes in another second.
  await rpc('evm_increaseTime', ['0x2'])
}

/** Who places an order that is settled in calls alone, and the contract that decides it. */
const attacks = {
  'a token that is bought': async (what: bigint) => {
    const token = await stage.listed('ContextToken', 3_000_000n * ether, [what, 2n])
    const signer = await stage.trader()
    return {
      contract: token,
      place: () => stage.place(signer, { buyToken: token.address, buyAmount: ether }),
    }
  },
  'a token that is sold': async (what: bigint) => {
    const token = await stage.listed('ContextToken', 3_000_000n * ether, [what, 1n])
    const signer = await stage.trader(token.address)
    await token.write('mint', [signer.address, 100_000n * ether])
    const wish = { sellToken: token.address, sellAmount: 9_000n * ether, buyAmount: ether / 10n }
    return { contract: token, place: () => stage.place(signer, wish) }
  },
  'a contract wallet': async (what: bigint) => {
    const { network, tokens } = stage.world.market
    const { WETH, USDC } = tokens
    const wallet = await deployOdd(stage.evm() as Evm, 'ContextWallet', [
      what,
      WETH.address,
      network.vaultRelayer,
    ])
    const signer = await stage.trader()
    await stage.pay(WETH.address, wallet.address, 10n * ether)
    const wish = { buyToken: USDC.address, buyAmount: 1n, wallet: wallet.address }
    return { contract: wallet, place: () => stage.place(signer, wish) }
  },
  'a hook': async (what: bigint) => {
    const token = await stage.listed('ContextToken', 3_000_000n * ether, [what, 3n])
    const signer = await stage.trader(token.address)
    await token.write('mint', [signer.address, 100_000n * ether])
    const callData = hookAbi.encodeFunctionData('freezeUnless', [signer.address])
    const hooks = { pre: [{ target: token.address, callData, gasLimit: '60000' }] }
    const wish = {
      sellToken: token.address,
      sellAmount: 9_000n * ether,
      buyAmount: ether / 10n,
      document: JSON.stringify({ metadata: { hooks } }),
    }
    return { contract: token, place: () => stage.place(signer, wish) }
  },
}

/** Orders of all tests: those of earlier ones are live. */
const placed: string[] = []
let atFirst: bigint

/** What the failures of all orders cost, by their receipts and by the accounts. */
async function costs() {
  const attempts = await Promise.all(placed.map(attemptsOf))
  // Orders may share an attempt.
  const failed = [
    ...new Map(attempts.flatMap((each) => each.failed.map((one) => [one.txHash, one]))).values(),
  ]
  return { burnt: await burntBy(failed), booked: sum(failed.map(({ revertedGasCost }) => revertedGasCost)) }
}

/** Expects that the solver paid for failed transactions alone, and that all of it is booked. */
async function expectBooked(): Promise<void> {
  const paid = atFirst - (await coinsOf(solver()))
  expect(await costs()).toEqual({ burnt: paid, booked: paid })
}

test('an order gets no more gas within a day than its limit, also after a restart', async () => {
  atFirst = await coinsOf(solver())
  const { contract, place } = await attacks['a contract wallet'](contexts['the random number of the block'])
  const uid = await place()
  placed.push(uid)
  const isSpent = async () => (await stage.stands(uid)).standing?.reason === 'FAILED_GAS_SPENT'
  for (let round = 0; round < 40 && !(await isSpent()); round++) {
    await rpc('anvil_mine', ['0x41'])
    await mark(contract)
    await stage.auction()
  }
  const { failed } = await attemptsOf(uid)
  const gas = sum(failed.map(({ revertedGas }) => revertedGas))
  const [minGas, revertedGas] = [failedGasLimits.order, sum([failed[0]?.revertedGas ?? null])]
  expect(gas).toBeGreaterThan(minGas)
  expect(gas).toBeLessThan(minGas + 2n * revertedGas)
  await expectBooked()
  // The auction before may have begun before the cost of the last attempt was known.
  await stage.auction()
  const failure = `transactions with the order that failed on chain used ${gas} gas within a day`
  expect(await stage.stands(uid)).toMatchObject({
    standing: { isInAuctions: false, reason: 'FAILED_GAS_SPENT', failingToken: null },
    diagnosis: {
      code: 'FAILED_GAS_SPENT',
      summary: `The service tries no more trades for now: ${failure}.`,
    },
  })
  const restarted = stage.composed()
  await rpc('anvil_mine', ['0x41'])
  await mark(contract)
  const { number } = await restarted.head()
  await restarted.failedGas.refresh(number)
  expect(await runAuction(restarted, 16, new AbortController().signal)).toEqual([])
  expect((await attemptsOf(uid)).failed).toHaveLength(failed.length)
})

test.each([
  ['a token that is bought', 'the price of gas'],
  ['a token that is bought', 'the hash of the block before'],
  ['a token that is sold', 'a price below the base fee'],
  ['a token that is sold', 'the time of the block'],
  ['a contract wallet', 'the price of gas'],
  ['a contract wallet', 'the random number of the block'],
  ['a hook', 'a price below the base fee'],
  ['a hook', 'the number of the block'],
] as const)('%s that passes by %s in calls alone costs ever fewer transactions', async (who, what) => {
  const { contract, place } = await attacks[who](contexts[what])
  const uid = await place()
  placed.push(uid)
  const { number: first } = await stage.services.head()
  for (let held = 0; held < 6; held++) {
    await mark(contract)
    await stage.auction()
  }
  const { number: last } = await stage.services.head()
  const { failed } = await attemptsOf(uid)
  // A dry run has the price of the transaction. Each pause is twice as long as the one before.
  const max = what.includes('price') ? 0 : Math.ceil(Math.log2(last - first + 2))
  expect(failed.length).toBeLessThanOrEqual(max)
  await expectBooked()
  expect((await stage.stands(uid)).diagnosis.code).not.toMatch(/SETTLING|NOT_PROPOSED/)
})
