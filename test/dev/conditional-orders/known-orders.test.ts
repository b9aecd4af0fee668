import { AbiCoder, Interface, keccak256 } from 'ethers'
import { beforeEach, expect, it } from 'vitest'
import { programmaticContracts } from '../../../src/dev/chain/programmatic-contracts.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../src/domain/evm/hex.ts'
import {
  blockTimestampFactory,
  composableCow,
  handlerType,
} from '../../../src/domain/programmatic/handlers.ts'
import { merkleLeaf, sdkLeaf } from '../../../src/domain/programmatic/merkle.ts'
import { type ConditionalOrderParams, paramsId } from '../../../src/domain/programmatic/params.ts'
import { encodeStaticInput, type TwapInput } from '../../../src/domain/programmatic/static-input.ts'
import { domainSeparator, orderDigest } from '../../../src/domain/signing/signing.ts'
import { calls, composable, onChain } from '../../chain/conditional-stage.ts'
import { merkleTree } from '../../domain/programmatic/merkle-tree.ts'
import {
  ids,
  leafA,
  leafB,
  type Name,
  owner,
  paramsOf,
  parts,
  rootAB,
  start,
  twapHandler,
  twapInput,
  word,
} from '../../domain/programmatic/vectors.ts'
import { codeReturning } from '../../setup/evm.ts'

const chain = onChain(start - 1000)
const names: readonly Name[] = ['A', 'B', 'C', 'D']
const [a, b, c, d] = [paramsOf('A'), paramsOf('B'), paramsOf('C'), paramsOf('D')]
const twap = (salt: number, change: Partial<TwapInput> = {}): ConditionalOrderParams => ({
  handler: twapHandler,
  salt: word(salt),
  staticInput: encodeStaticInput('TWAP', twapInput(change)),
})

/** Mines a call of the owner, an account that runs whatever code a test gives it. */
const by = (data: string, time?: number) => chain().send(owner, composableCow, data, time)
const ownerHasCode = (code: Hex) => chain().rpc.call('anvil_setCode', [owner, code])
const read = (method: string, values: unknown[]) =>
  chain().call(composableCow, composable.encodeFunctionData(method, values))
const storedAt = (slot: Hex) => chain().rpc.call<Hex>('eth_getStorageAt', [composableCow, slot, 'latest'])
const topicOf = (event: string) => composable.getEvent(event)?.topicHash

/** The digest of the order that trades at the head, or the reason why none does. */
async function answerOf(params: ConditionalOrderParams, proof: Bytes32[] = []): Promise<string> {
  const answer = await chain().poll(owner, params, proof)
  return typeof answer === 'string' ? answer : orderDigest(chain().market.network, answer.order)
}
const digestOf = (name: Name, index: number) =>
  parts.find(([order, part]) => order === name && part === index)?.[4] ?? 'no such part'

beforeEach(() => ownerHasCode(codeReturning(1n)))

it('an id is the hash of what the log holds, and a quiet creation logs nothing', async () => {
  for (const name of names) {
    const { logs } = await by(calls.create(paramsOf(name)))
    expect(logs.map(({ data, topics }) => [keccak256(data), ...topics])).toEqual([
      [
        ids[name],
        topicOf('ConditionalOrderCreated'),
        AbiCoder.defaultAbiCoder().encode(['address'], [owner]),
      ],
    ])
    expect(await read('hash', [paramsOf(name)])).toEqual({ data: ids[name] })
  }
  expect((await by(calls.create(twap(9), false))).logs).toEqual([])
  expect(await read('singleOrders', [owner, paramsId(twap(9))])).toEqual({ data: word(1) })
  expect(await read('singleOrders', [owner, paramsId(twap(10))])).toEqual({ data: word(0) })
})

it('calls are encoded as by other programs', () => {
  expect([calls.create(a), calls.createNow(c), calls.poll(owner, a)].map(keccak256)).toEqual([
    '0xe57b6cc2a254b25ddf7d63ec78ecbdb7ca7b7f4ebad092ea102939545fa1da82',
    '0x4fac59955167a95479347bd500a4d15e25db36c3580e167313fa7a0fcd201536',
    '0x495debf33349f2bd4892e09faecbab2173a173a9cf1f1348fb873ce19fcf801c',
  ])
})

it('the domain is that of the settlement contract, and handlers are at their known addresses', async () => {
  const { network } = chain().market
  expect(await read('domainSeparator', [])).toEqual({ data: domainSeparator(network) })
  const { Twap, StopLoss, GoodAfterTime, TradeAboveThreshold, PerpetualStableSwap } = programmaticContracts
  const handlers = [Twap, StopLoss, GoodAfterTime, TradeAboveThreshold, PerpetualStableSwap]
  expect(handlers.map((at) => handlerType(network.chainId, at))).toEqual([
    'TWAP',
    'StopLoss',
    'GoodAfterTime',
    'TradeAboveThreshold',
    'PerpetualSwap',
  ])
  const supports = new Interface(['function supportsInterface(bytes4) view returns (bool)'])
  const answers = ['0xb8296fc4', '0x01ffc9a7', '0xffffffff'].map((id) =>
    chain().call(Twap, supports.encodeFunctionData('supportsInterface', [id])),
  )
  expect(await Promise.all(answers)).toEqual([{ data: word(1) }, { data: word(1) }, { data: word(0) }])
})

it('each part trades from its first to its last second, by the time of the block', async () => {
  for (const params of [a, b, d]) await by(calls.create(params))
  const early = 'OrderNotValid(before twap start)'
  const gap = 'OrderNotValid(not within span)'
  const late = 'OrderNotValid(after twap finish)'
  const probes: [time: number, expected: Partial<Record<Name, number | string>>][] = [
    [start - 1, { A: early, B: early, D: early }],
    [start, { A: 0, B: 0, D: 0 }],
    [start + 123, { A: 0, B: 0, C: 0 }],
    [start + 599, { A: 0, B: 0 }],
    [start + 600, { A: 0, B: gap }],
    [start + 3599, { A: 0, B: gap, C: 0, D: 0 }],
    [start + 3600, { A: 1, B: 1, C: 0 }],
    [start + 3722, { C: 0 }],
    [start + 3723, { C: 1 }],
    [start + 4199, { B: 1 }],
    [start + 4200, { B: gap }],
    [start + 7199, { A: 1 }],
    [start + 7200, { A: 2, B: 2 }],
    [start + 7322, { C: 1 }],
    [start + 7323, { C: 2 }],
    [start + 10_800, { A: 3, B: 3 }],
    [start + 10_923, { C: 3 }],
    [start + 11_399, { A: 3, B: 3 }],
    [start + 11_400, { A: 3, B: gap }],
    [start + 14_399, { A: 3, B: gap }],
    [start + 14_400, { A: late, B: late, C: 3, D: late }],
    [start + 14_522, { C: 3 }],
    [start + 14_523, { C: late }],
  ]
  for (const [time, expected] of probes) {
    if (time === start + 123) await by(calls.createNow(c), time)
    else await chain().mineAt(time)
    for (const [name, answer] of Object.entries(expected) as [Name, number | string][])
      expect(await answerOf(paramsOf(name)), `${name} at ${time}`).toBe(
        typeof answer === 'number' ? digestOf(name, answer) : answer,
      )
  }
})

it('values lie in the storage slots of real networks', async () => {
  await by(calls.create(a))
  await by(calls.createNow(c), start + 123)
  const values = [rootAB, [0, '0x'], blockTimestampFactory, '0x']
  await by(composable.encodeFunctionData('setRootWithContext', values), start + 456)
  const slots: Record<Hex, Hex> = {
    '0x9094da0514e4e716d0ef9ccbd3993106582515cd6d6413ecf3a9500ce237cdec': word(1),
    '0xede07d958cca5cdbd6056bd4244c4d5461d06f69c3fd629ba67964c2da4d4fe4': word(start + 123),
    '0xf043c50fe795c69f30b8ff78b84032dc53a9d87ca283ae10a1dacfbb648e83ef': rootAB,
    '0xad76e158202d41e4afc5dd3241f9199317b8e143eb5eb88fd4834894e8a70d22': word(start + 456),
  }
  for (const [slot, value] of Object.entries(slots)) expect(await storedAt(slot as Hex)).toBe(value)
  expect(await read('roots', [owner])).toEqual({ data: rootAB })
  expect(await read('cabinet', [owner, paramsId(c)])).toEqual({ data: word(start + 123) })
  expect(await read('cabinet', [owner, word(0)])).toEqual({ data: word(start + 456) })
})

it('the signature has the form of the owner’s wallet', async () => {
  await by(calls.create(a))
  await by(calls.setRoot(rootAB))
  await chain().mineAt(start)
  const signatures = async () => {
    const both = [await chain().part(owner, a), await chain().part(owner, a, [leafB])]
    return both.map(({ signature }) => keccak256(signature))
  }
  expect(await signatures()).toEqual([
    '0x97941ed2bf965f61a37bea8da94db4c19bbb22232a90be253f294fffbc257a82',
    '0xdd21778947198e889b09acb85eace201bcba0123909e4f42924f4c8e2ad253c9',
  ])
  await ownerHasCode('0x60006000fd')
  expect(await signatures()).toEqual([
    '0x446114825c83eedd9a6dd21540273d57eef2031739e73bad3c17faf8da6b1e1c',
    '0xc0518455f72e68ee1640d288f2e728d9fcb74eff9e9c918c86b069cfa2f76a62',
  ])
  await ownerHasCode(codeReturning(0n))
  expect(await chain().poll(owner, a)).toBe('InvalidFallbackHandler()')
  // A wallet with an empty fallback, and an account without code.
  for (const code of ['0x00', '0x'] as const) {
    await ownerHasCode(code)
    expect(await chain().poll(owner, a)).toBe('0x')
  }
})

it('a removal is silent, ends the authorisation and empties the cabinet; a new creation starts later', async () => {
  await by(calls.createNow(c), start + 123)
  expect(await answerOf(c)).toBe(digestOf('C', 0))
  expect((await by(calls.remove(c))).logs).toEqual([])
  expect(await answerOf(c)).toBe('SingleOrderNotAuthed()')
  expect(await read('cabinet', [owner, ids.C])).toEqual({ data: word(0) })

  await by(calls.create(c))
  expect(await answerOf(c)).toBe('OrderNotValid(after twap finish)')
  for (const time of [start + 1000, start + 2000]) {
    await by(calls.createNow(c), time)
    expect((await chain().part(owner, c)).order.validTo).toBe(time + 3599)
  }
  expect((await by(calls.remove(twap(77)))).status).toBe('0x1')
})

it('a proof holds if leaves are hashes of ids, and only while its leaf is in the root', async () => {
  await chain().mineAt(start)
  const { logs } = await by(calls.setRoot(rootAB))
  expect(logs.map(({ topics }) => topics[0])).toEqual([topicOf('MerkleRootSet')])
  expect(await answerOf(a, [leafB])).toBe(digestOf('A', 0))
  expect(await answerOf(b, [leafA])).toBe(digestOf('B', 0))
  expect(await answerOf(a)).toBe('SingleOrderNotAuthed()')
  expect(await answerOf(d, [leafB])).toBe('ProofNotAuthed()')

  const bySdk = merkleTree([sdkLeaf(a), sdkLeaf(b)])
  expect(bySdk.root).toBe('0xecad7f2e3f3d463947eed308ac2642ad7e89e37515aa3da11627e6785c5cd235')
  await by(calls.setRoot(bySdk.root))
  expect(await answerOf(a, [sdkLeaf(b)])).toBe('ProofNotAuthed()')

  const others = [twap(5), twap(6), twap(7)].map((params) => merkleLeaf(paramsId(params)))
  const tree = merkleTree([leafB, ...others])
  await by(calls.setRoot(tree.root))
  expect(await answerOf(a, [leafB])).toBe('ProofNotAuthed()')
  const proof = tree.proofOf(leafB) ?? []
  expect(proof).toHaveLength(2)
  expect(await answerOf(b, proof)).toBe(digestOf('B', 0))
  expect(await answerOf(b, proof.toReversed())).toBe('ProofNotAuthed()')

  await by(calls.setRoot(leafA))
  expect(await answerOf(a), 'a tree of one leaf').toBe('SingleOrderNotAuthed()')
})

it('schedules that can never trade name the first rule that they break', async () => {
  const { sellToken, buyToken } = twapInput()
  const none: Address = zeroAddress
  const year = 31_536_000n
  const broken: [Partial<TwapInput>, string][] = [
    [{ sellToken: none, buyToken: none, n: 0n }, 'same token'],
    [{ buyToken: sellToken }, 'same token'],
    [{ sellToken: none, partSellAmount: 0n }, 'invalid token'],
    [{ sellToken: buyToken, buyToken: none }, 'invalid token'],
    [{ partSellAmount: 0n, minPartLimit: 0n }, 'invalid part sell amount'],
    [{ minPartLimit: 0n, t0: 2n ** 32n }, 'invalid min part limit'],
    [{ t0: 2n ** 32n - 1n, n: 1n }, 'invalid start time'],
    [{ t0: 2n ** 32n - 2n, n: 1n }, 'invalid num parts'],
    [{ n: 2n ** 32n, t: 0n }, 'invalid num parts'],
    [{ n: 2n ** 32n - 1n, t: 0n }, 'invalid frequency'],
    [{ t: year + 1n, span: 2n ** 40n }, 'invalid frequency'],
    [{ t: year, span: year + 1n }, 'invalid span'],
    [{ t: year, span: year, t0: 2n ** 32n - 2n }, 'before twap start'],
  ]
  for (const [index, [change, message]] of broken.entries()) {
    const params = twap(100 + index, change)
    await by(calls.create(params))
    expect(await answerOf(params)).toBe(`OrderNotValid(${message})`)
  }
  const short = { ...a, staticInput: a.staticInput.slice(0, -64) as Hex }
  const long = { ...a, staticInput: `${a.staticInput}00` as Hex }
  for (const params of [short, long]) await by(calls.create(params))
  expect(await answerOf(short)).toBe('0x')
  expect(await answerOf(long)).toBe('OrderNotValid(before twap start)')

  const endless = twap(90, { t0: BigInt(start - 2000), n: 2n ** 32n - 1n, t: year })
  await by(calls.create(endless))
  await chain().mineAt(2 ** 32 - 10)
  expect(await answerOf(endless)).toBe("Error(SafeCast: value doesn't fit in 32 bits)")
})
