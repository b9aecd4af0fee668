import { AbiCoder, Interface, keccak256, id as keccakOfText } from 'ethers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { programmaticContracts } from '../../src/dev/chain/programmatic-contracts.ts'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import { domainSeparator, orderDigest } from '../../src/domain/signing/signing.ts'
import {
  type ConditionalStage,
  composable,
  composableCow,
  describeRevert,
  fallbackHandler,
  idOf,
  type Params,
  pollErrors,
  saltOf,
  scriptedAbi,
  startConditionalStage,
  walletCall,
} from '../chain/conditional-stage.ts'
import { readArtifact } from '../chain/contracts.ts'
import { codeReturning } from '../setup/evm.ts'

const start = 1_800_000_000
const coder = AbiCoder.defaultAbiCoder()
const emptyAppData = keccakOfText('{}')
const owner = address(`0x${'11'.repeat(20)}`)
const receiver = address(`0x${'22'.repeat(20)}`)
const { CurrentBlockTimestampFactory: timestampFactory, Twap: twapHandler } = programmaticContracts

interface Twap {
  sellToken: Address
  buyToken: Address
  receiver: Address
  partSellAmount: bigint
  minPartLimit: bigint
  t0: number
  n: number
  t: number
  span: number
}
const usual: Twap = {
  sellToken: address(`0x${'aa'.repeat(20)}`),
  buyToken: address(`0x${'bb'.repeat(20)}`),
  receiver,
  partSellAmount: 250_000_000_000_000_000n,
  minPartLimit: 500_000_000n,
  t0: start,
  n: 4,
  t: 3600,
  span: 0,
}
const twapTypes = ['address', 'address', 'address', ...Array<string>(6).fill('uint256'), 'bytes32']
function twap(salt: number, more: Partial<Twap> = {}): Params {
  const values = [...Object.values({ ...usual, ...more }), emptyAppData]
  return { handler: twapHandler, salt: saltOf(salt), staticInput: coder.encode(twapTypes, values) }
}

const create = (params: Params, dispatch = true) =>
  composable.encodeFunctionData('create', [params, dispatch])
const createNow = (params: Params) =>
  composable.encodeFunctionData('createWithContext', [params, timestampFactory, '0x', true])
const remove = (params: Params) => composable.encodeFunctionData('remove', [idOf(params)])
const setRoot = (root: string) => composable.encodeFunctionData('setRoot', [root, [0, '0x']])

/** Tests of one chain, each over the state that `beforeAll` left. */
function onChain(genesisTime: number): () => ConditionalStage {
  let stage: ConditionalStage
  let snapshot: unknown
  beforeAll(async () => {
    stage = await startConditionalStage(genesisTime)
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    snapshot = await stage.rpc.call('evm_snapshot')
  })
  afterEach(() => stage.rpc.call('evm_revert', [snapshot]))
  return () => stage
}

test('functions, events and errors are those of real networks', () => {
  const selectors = (name: string) => {
    const contract = new Interface(readArtifact(name).abi)
    const found: Record<string, string> = {}
    contract.forEachFunction((item) => {
      found[item.name] = item.selector
    })
    contract.forEachError((item) => {
      found[item.name] = item.selector
    })
    contract.forEachEvent((item) => {
      found[item.name] = item.topicHash
    })
    return found
  }
  expect(selectors('ComposableCow')).toEqual({
    domainSeparator: '0xf698da25',
    roots: '0xa4546876',
    singleOrders: '0x6108c532',
    swapGuards: '0x595001b2',
    cabinet: '0x1c7662c8',
    hash: '0x5500079d',
    create: '0x6bfae1ca',
    createWithContext: '0x0d0d9800',
    setRoot: '0x1ab0dd9d',
    setRootWithContext: '0x57f1d41a',
    remove: '0x95bc2673',
    setSwapGuard: '0x8f7984ed',
    getTradeableOrderWithSignature: '0x26e0a196',
    isValidSafeSignature: '0x53f00b14',
    ConditionalOrderCreated: '0x2cceac5555b0ca45a3744ced542f54b56ad2eb45e521962372eef212a2cbf361',
    MerkleRootSet: '0x58662f46b4a87d0f96d929b24c37fe25c55d52c0025d0b2bec3936534cc31e57',
    SwapGuardSet: '0x41f583e2d25b3921afe66987b63b0b5e4cf2acbbbed4a477fd19a22180f3f859',
    SingleOrderNotAuthed: '0x7a933234',
    ProofNotAuthed: '0x4a821464',
    SwapGuardRestricted: '0x03fc2a7e',
    InvalidHandler: '0xd8f59fa5',
    InvalidFallbackHandler: '0x79ac63cd',
    InterfaceNotSupported: '0x2c7ca6d7',
  })
  const handler = {
    getTradeableOrder: '0xb8296fc4',
    verify: '0x14a2a784',
    supportsInterface: '0x01ffc9a7',
    OrderNotValid: '0xc8fc2725',
    PollTryNextBlock: '0xd05f3065',
    PollTryAtEpoch: '0x7e334637',
  }
  for (const name of ['Twap', 'StopLoss', 'TradeAboveThreshold', 'GoodAfterTime', 'PerpetualStableSwap'])
    expect(selectors(name), name).toEqual(handler)
  expect(selectors('CurrentBlockTimestampFactory')).toEqual({ getValue: '0xb6576bdf' })
  expect(selectors('ExtensibleFallbackHandler')).toMatchObject({
    domainVerifiers: '0x51cad5ee',
    setDomainVerifier: '0x3365582c',
    AddedDomainVerifier: '0xae938181ed4437a46f12ead84e69947e6d84a1113a49d9c0075d8d35c6ce273c',
    ChangedDomainVerifier: '0x06341ac2f62eb79165de8c8b54ab89a8825b12746c2b98e01dff1007837d2ba8',
    RemovedDomainVerifier: '0xf1984d1a49cc75dcbf01cd175870cb7eb9a4fd87b538a87007e4dbb0399b61a9',
  })
  expect(selectors('SafeWallet')).toMatchObject({
    setFallbackHandler: '0xf08a0323',
    ChangedFallbackHandler: '0x5ac6c46c93c8d0e53714ba3b53db3e7c046da994313d7ed0d192028bc7c228b0',
  })
  expect(selectors('ForwarderWallet')).toMatchObject({
    isValidSignature: '0x1626ba7e',
    InvalidHash: '0x0af806e0',
  })
  expect(selectors('ForwarderWallet')).not.toHaveProperty('supportsInterface')
  expect(selectors('ShedFactory')).toMatchObject({
    proxyOf: '0xc1a9a508',
    ownerOf: '0x14afd79e',
    COWShedBuilt: '0xbd9f8ca768e3ce4aca2c83d15c9c45fa3a0e0a5f5ac6ab6dc8c08d96260ad6dc',
  })
  expect(selectors('Multicall3')).toEqual({ aggregate3: '0x82ad56cb', aggregate3Value: '0x174dea71' })
})

describe('known orders', () => {
  const chain = onChain(start - 1000)
  const a = twap(1)
  const b = twap(2, { span: 600 })
  const c = twap(3, { t0: 0 })
  const d = twap(4, { receiver: zeroAddress })
  const ids = {
    a: '0x994ac0dbb550f0f69dd96d6b8909be520e0107a761c2d201e977653c1244f74d',
    b: '0xd58f96a12374c0ded16167dbf5401d06155ac7ecdcdbe984d29f2564216f0539',
    c: '0x8ee380fe2fad1ac7b7f3ee299bc648e5a205c64289038f8c978cee1fd8f48d32',
    d: '0xa5f5457f50c4b6c6570cc3d0d7cdae6ea5309e63bd3f00f0b670721590490742',
  }
  const digests = {
    a0: '0x7be0220fec462c2a138c96901e316a3d2cbf611762f45d1e2f68d7cf2384bf45',
    a1: '0x979a6c6b835488e0beee8fb9b9755de7e84e500ebde4241761eab47366cc6d78',
    a2: '0x32ff5305b3388d5074b76990318e8d605d17ef7603bd7efd280b213fca786b1f',
    a3: '0x26c92b63cf224ba2b05219e11977b023840e8a05beda7b649411049291665a11',
    b0: '0x226f7d562633444a39111259578f7eff66df62a16f76200151f327621ee58049',
    b1: '0x67ed4d4545fd113a0a5d4d29b51986e8cf9742928feeccb469a4f6c7ed4f32ef',
    b2: '0xd35cd04d99dd858cc2d893c59596eb663e01ef352a1d858b5bab63a035c04648',
    b3: '0xac82d5ce73bbc8fbe96a0700cdb9fee5d4e120910a8b82ff97d0d4089d24605d',
    c0: '0xf4445e0778d3a160f05c109ee7b2b08df8c21ccef53976736ada4a1a00fb41a8',
    c1: '0xdc773626948a9f21ffdf9a976ca2a317e2fa89ccc6c8455468c74c3ede60f171',
    c2: '0x944cfebcdd68f3e376d817b5a76d7de7692ce0e932f59a24d0e4ddd9ba88397d',
    c3: '0x76739e85b40ae30e85d0a04749ef5653a6df4bf30aafe54d7a6126845c5042e2',
    d0: '0x999516e81ca6a6c875971d407605ec4717c5345b628deb07667fbfe271673cd6',
  }
  const leaves = {
    a: '0x60022ab2bff4ea16b88dec1beb520f88f535fa3900dd197b5418c391d060184d',
    b: '0x895e4c33c3a44150133fafde14337e35dd2929ab2a4ff9c0edca9f8f0c61c921',
    root: '0x755dc64e5308da5f7fe2cd12c352fa8a81399102cb24544d3322aa9aae48dde4',
  }
  const sdk = {
    b: '0xf680ce99d7c42a265cd25f67bb3bf4fb468bf5d0a7e426b835f068f85dc90173',
    root: '0xecad7f2e3f3d463947eed308ac2642ad7e89e37515aa3da11627e6785c5cd235',
  }

  /** Lets the owner, an account with this code, authorise by its own transaction. */
  const by = (data: string, time?: number) => chain().send(owner, composableCow, data, time)
  const ownerAnswers = (code: Hex) => chain().rpc.call('anvil_setCode', [owner, code])
  const saysYes = codeReturning(1n)
  const digestOf = async (params: Params) => {
    const answer = await chain().poll(owner, params)
    return typeof answer === 'string' ? answer : orderDigest(chain().market.network, answer.order)
  }
  const storedAt = (slot: string) =>
    chain().rpc.call<Hex>('eth_getStorageAt', [composableCow, slot, 'latest'])

  it('an id is the hash of what the log holds, and a quiet creation logs nothing', async () => {
    for (const [name, params] of Object.entries({ a, b, c, d })) {
      const receipt = await by(create(params))
      expect(receipt.logs).toHaveLength(1)
      const [log] = receipt.logs
      const { data = '0x', topics } = log ?? {}
      expect(keccak256(data)).toBe(ids[name as keyof typeof ids])
      expect(topics).toEqual([
        composable.getEvent('ConditionalOrderCreated')?.topicHash,
        coder.encode(['address'], [owner]),
      ])
      const hash = await chain().call(composableCow, composable.encodeFunctionData('hash', [params]))
      expect(hash).toEqual({ data: ids[name as keyof typeof ids] })
    }
    expect((await by(create(twap(9), false))).logs).toEqual([])
    const isKnown = composable.encodeFunctionData('singleOrders', [owner, idOf(twap(9))])
    expect(await chain().call(composableCow, isKnown)).toEqual({ data: saltOf(1) })
  })

  it('calls are encoded as by others', () => {
    const poll = composable.encodeFunctionData('getTradeableOrderWithSignature', [owner, a, '0x', []])
    expect([create(a), createNow(c), poll].map(keccak256)).toEqual([
      '0xe57b6cc2a254b25ddf7d63ec78ecbdb7ca7b7f4ebad092ea102939545fa1da82',
      '0x4fac59955167a95479347bd500a4d15e25db36c3580e167313fa7a0fcd201536',
      '0x495debf33349f2bd4892e09faecbab2173a173a9cf1f1348fb873ce19fcf801c',
    ])
  })

  it('the domain is that of the settlement contract on the local chain', async () => {
    const answer = await chain().call(composableCow, composable.encodeFunctionData('domainSeparator'))
    expect(answer).toEqual({ data: '0xdaee378bd0eb30ddf479272accf91761e697bc00e067a268f95f1d2732ed230b' })
    expect(answer).toEqual({ data: domainSeparator(chain().market.network) })
  })

  it('each part trades from its first to its last second, by the time of the block', async () => {
    await ownerAnswers(saysYes)
    for (const params of [a, b, d]) await by(create(params))
    const early = 'OrderNotValid(before twap start)'
    const late = 'OrderNotValid(after twap finish)'
    const gap = 'OrderNotValid(not within span)'
    const probes: [number, { a?: string; b?: string; c?: string; d?: string }][] = [
      [start - 1, { a: early, b: early, d: early }],
      [start, { a: digests.a0, b: digests.b0, d: digests.d0 }],
      [start + 123, { c: digests.c0 }],
      [start + 599, { a: digests.a0, b: digests.b0 }],
      [start + 600, { a: digests.a0, b: gap }],
      [start + 3599, { a: digests.a0, b: gap, c: digests.c0, d: digests.d0 }],
      [start + 3600, { a: digests.a1, b: digests.b1, c: digests.c0 }],
      [start + 3722, { c: digests.c0 }],
      [start + 3723, { c: digests.c1 }],
      [start + 4199, { b: digests.b1 }],
      [start + 4200, { b: gap }],
      [start + 7199, { a: digests.a1 }],
      [start + 7200, { a: digests.a2, b: digests.b2 }],
      [start + 7322, { c: digests.c1 }],
      [start + 7323, { c: digests.c2 }],
      [start + 10800, { a: digests.a3, b: digests.b3 }],
      [start + 10923, { c: digests.c3 }],
      [start + 11399, { a: digests.a3, b: digests.b3 }],
      [start + 11400, { a: digests.a3, b: gap }],
      [start + 14399, { a: digests.a3, b: gap }],
      [start + 14400, { a: late, b: late, c: digests.c3, d: late }],
      [start + 14522, { c: digests.c3 }],
      [start + 14523, { c: late }],
    ]
    for (const [time, expected] of probes) {
      if (time === start + 123) await by(createNow(c), time)
      else await chain().mineAt(time)
      for (const [name, params] of Object.entries({ a, b, c, d }))
        if (name in expected)
          expect(await digestOf(params), `${name} at ${time}`).toBe(expected[name as keyof typeof expected])
    }
  })

  it('values lie in the storage slots of real networks', async () => {
    await by(create(a))
    await by(createNow(c), start + 123)
    const data = composable.encodeFunctionData('setRootWithContext', [
      leaves.root,
      [0, '0x'],
      timestampFactory,
      '0x',
    ])
    await by(data, start + 456)
    expect(await storedAt('0x9094da0514e4e716d0ef9ccbd3993106582515cd6d6413ecf3a9500ce237cdec')).toBe(
      saltOf(1),
    )
    expect(await storedAt('0xede07d958cca5cdbd6056bd4244c4d5461d06f69c3fd629ba67964c2da4d4fe4')).toBe(
      saltOf(start + 123),
    )
    expect(await storedAt('0xf043c50fe795c69f30b8ff78b84032dc53a9d87ca283ae10a1dacfbb648e83ef')).toBe(
      leaves.root,
    )
    expect(await storedAt('0xad76e158202d41e4afc5dd3241f9199317b8e143eb5eb88fd4834894e8a70d22')).toBe(
      saltOf(start + 456),
    )
  })

  it('the signature has the form of the owner’s wallet', async () => {
    await by(create(a))
    await by(setRoot(leaves.root))
    await chain().mineAt(start)
    const signatures = async () => {
      const both = [await chain().part(owner, a), await chain().part(owner, a, [leaves.b])]
      return both.map(({ signature }) => keccak256(signature))
    }
    await ownerAnswers(saysYes)
    expect(await signatures()).toEqual([
      '0x97941ed2bf965f61a37bea8da94db4c19bbb22232a90be253f294fffbc257a82',
      '0xdd21778947198e889b09acb85eace201bcba0123909e4f42924f4c8e2ad253c9',
    ])
    await ownerAnswers('0x60006000fd')
    expect(await signatures()).toEqual([
      '0x446114825c83eedd9a6dd21540273d57eef2031739e73bad3c17faf8da6b1e1c',
      '0xc0518455f72e68ee1640d288f2e728d9fcb74eff9e9c918c86b069cfa2f76a62',
    ])
    await ownerAnswers(codeReturning(0n))
    expect(await chain().poll(owner, a)).toBe('InvalidFallbackHandler()')
    for (const code of ['0x00', '0x'] as const) {
      await ownerAnswers(code)
      expect(await chain().poll(owner, a)).toBe('0x')
    }
  })

  it('a removal is silent, ends the authorisation and empties the cabinet; another creation starts later', async () => {
    await ownerAnswers(saysYes)
    await by(createNow(c), start + 123)
    expect(await digestOf(c)).toBe(digests.c0)
    expect((await by(remove(c))).logs).toEqual([])
    expect(await chain().poll(owner, c)).toBe('SingleOrderNotAuthed()')
    const cabinet = composable.encodeFunctionData('cabinet', [owner, idOf(c)])
    expect(await chain().call(composableCow, cabinet)).toEqual({ data: saltOf(0) })

    await by(create(c))
    expect(await chain().poll(owner, c)).toBe('OrderNotValid(after twap finish)')
    await by(createNow(c), start + 1000)
    expect((await chain().part(owner, c)).order.validTo).toBe(start + 1000 + 3600 - 1)
    await by(createNow(c), start + 2000)
    expect((await chain().part(owner, c)).order.validTo).toBe(start + 2000 + 3600 - 1)
    expect((await by(remove(twap(77)))).status).toBe('0x1')
  })

  it('a proof holds with leaves that are hashes of ids, and only while its leaf is in the root', async () => {
    await ownerAnswers(saysYes)
    await chain().mineAt(start)
    const root = await by(setRoot(leaves.root))
    expect(root.logs.map(({ topics }) => topics[0])).toEqual([
      composable.getEvent('MerkleRootSet')?.topicHash,
    ])
    for (const [params, proof, digest] of [
      [a, leaves.b, digests.a0],
      [b, leaves.a, digests.b0],
    ] as const) {
      const { order } = await chain().part(owner, params, [proof])
      expect(orderDigest(chain().market.network, order)).toBe(digest)
    }
    expect(await chain().poll(owner, a)).toBe('SingleOrderNotAuthed()')
    expect(await chain().poll(owner, d, [leaves.b])).toBe('ProofNotAuthed()')

    await by(setRoot(sdk.root))
    expect(await chain().poll(owner, a, [sdk.b])).toBe('ProofNotAuthed()')

    // A tree of B and D: the leaf of A is gone, that of B stays.
    const leafOfD = keccak256(ids.d)
    const pair = [leaves.b, leafOfD].toSorted().map((leaf) => leaf.slice(2))
    await by(setRoot(keccak256(`0x${pair.join('')}`)))
    expect(await chain().poll(owner, a, [leaves.b])).toBe('ProofNotAuthed()')
    const { order } = await chain().part(owner, b, [leafOfD])
    expect(orderDigest(chain().market.network, order)).toBe(digests.b0)
    // A tree of one leaf has no proof.
    await by(setRoot(leaves.a))
    expect(await chain().poll(owner, a, [])).toBe('SingleOrderNotAuthed()')
  })

  it('schedules that can never trade say which rule they break, the first one first', async () => {
    await ownerAnswers(saysYes)
    const { sellToken, buyToken } = usual
    const broken: [Partial<Record<keyof Twap, unknown>>, string][] = [
      [{ sellToken: zeroAddress, buyToken: zeroAddress, n: 0 }, 'same token'],
      [{ buyToken: sellToken }, 'same token'],
      [{ sellToken: zeroAddress, partSellAmount: 0n }, 'invalid token'],
      [{ sellToken: buyToken, buyToken: zeroAddress }, 'invalid token'],
      [{ partSellAmount: 0n, minPartLimit: 0n }, 'invalid part sell amount'],
      [{ minPartLimit: 0n, t0: 2 ** 32 }, 'invalid min part limit'],
      [{ t0: 2 ** 32 - 1, n: 1 }, 'invalid start time'],
      [{ t0: 2 ** 32 - 2, n: 1 }, 'invalid num parts'],
      [{ n: 2 ** 32, t: 0 }, 'invalid num parts'],
      [{ n: 2 ** 32 - 1, t: 0 }, 'invalid frequency'],
      [{ t: 31_536_001, span: 2 ** 40 }, 'invalid frequency'],
      [{ t: 31_536_000, span: 31_536_001 }, 'invalid span'],
      [{ t: 31_536_000, span: 31_536_000, t0: 2 ** 32 - 2 }, 'before twap start'],
    ]
    for (const [index, [terms, message]] of broken.entries()) {
      const params = twap(100 + index, terms as Partial<Twap>)
      await by(create(params))
      expect(await chain().poll(owner, params)).toBe(`OrderNotValid(${message})`)
    }
    const short: Params = { ...a, staticInput: a.staticInput.slice(0, -64) }
    const long: Params = { ...a, staticInput: `${a.staticInput}00` }
    for (const params of [short, long]) await by(create(params))
    expect(await chain().poll(owner, short)).toBe('0x')
    expect(await chain().poll(owner, long)).toBe('OrderNotValid(before twap start)')

    const endless = twap(90, { t0: start - 2000, n: 2 ** 32 - 1, t: 31_536_000 })
    await by(create(endless))
    await chain().mineAt(2 ** 32 - 10)
    expect(await chain().poll(owner, endless)).toBe(
      new Interface(['error Error(string)']).encodeErrorResult('Error', [
        "SafeCast: value doesn't fit in 32 bits",
      ]),
    )
  })
})

describe('answers of handlers', () => {
  const chain = onChain(start)
  const by = (data: string) => chain().send(owner, composableCow, data)
  const orderOf = async (handler: Address, types: string[], values: unknown[]): Promise<Params> => {
    const params = { handler, salt: saltOf(1), staticInput: coder.encode(types, values) }
    await by(create(params))
    return params
  }
  beforeEach(() => chain().rpc.call('anvil_setCode', [owner, codeReturning(1n)]))

  it('an unknown handler is refused by what it is', async () => {
    const none = await by(create({ ...twap(1), handler: zeroAddress }))
    expect(none.status).toBe('0x0')
    const answer = await chain().call(composableCow, create({ ...twap(1), handler: zeroAddress }), owner)
    expect(answer).toEqual({ revert: 'InvalidHandler()' })
    const nowhere = await orderOf(receiver, [], [])
    expect(await chain().poll(owner, nowhere)).toBe('0x')
    const scripted = await chain().deployScripted()
    const params = await orderOf(scripted, [], [])
    await chain().send(owner, scripted, scriptedAbi.encodeFunctionData('support', [false]))
    expect(await chain().poll(owner, params)).toBe('InterfaceNotSupported()')
    await chain().rpc.call('anvil_setCode', [scripted, '0x60006000fd'])
    expect(await chain().poll(owner, params)).toBe('InterfaceNotSupported()')
  })

  it('answers of a handler pass through unchanged', async () => {
    const scripted = await chain().deployScripted()
    const params = await orderOf(scripted, [], [])
    const script = (act: number, data: string, zeros = 0) =>
      chain().send(owner, scripted, scriptedAbi.encodeFunctionData('script', [act, data, zeros]))
    const errors: [string, unknown[]][] = [
      ['PollTryAtBlock', [12n, 'later']],
      ['PollTryAtEpoch', [1_800_000_000n, 'too early']],
      ['PollTryNextBlock', ['soon']],
      ['PollNever', ['over']],
      ['OrderNotValid', ['no']],
    ]
    for (const [name, values] of errors) {
      await script(1, pollErrors.encodeErrorResult(name, values))
      expect(await chain().poll(owner, params)).toBe(`${name}(${values.join(', ')})`)
    }
    await script(1, '0x')
    expect(await chain().poll(owner, params)).toBe('0x')
    await script(1, '0x', 100_000)
    expect(await chain().poll(owner, params)).toBe(`0x${'00'.repeat(100_000)}`)
    await script(2, '0x')
    const poll = composable.encodeFunctionData('getTradeableOrderWithSignature', [owner, params, '0x', []])
    await expect(
      chain().rpc.call('eth_call', [{ to: composableCow, data: poll, gas: '0xf4240' }]),
    ).rejects.toThrow()

    const order = [
      ...[usual.sellToken, usual.buyToken, receiver, 5n, 6n, start + 60, emptyAppData, 0n],
      ...[keccakOfText('buy'), true, keccakOfText('erc20'), keccakOfText('erc20')],
    ]
    const types = composable.getFunction('getTradeableOrderWithSignature')?.outputs[0]
    await script(0, coder.encode([types ?? ''], [order]), 32)
    expect((await chain().part(owner, params)).order).toMatchObject({
      kind: 'buy',
      sellAmount: 5n,
      validTo: start + 60,
    })
  })

  it('a swap guard forbids parts until it is taken off', async () => {
    const params = twap(1, { t0: start - 10 })
    await by(create(params))
    const guard = address(`0x${'c9'.repeat(20)}`)
    await chain().rpc.call('anvil_setCode', [guard, codeReturning(0n)])
    const set = (at: Address) => by(composable.encodeFunctionData('setSwapGuard', [at]))
    const { order } = await chain().part(owner, params)
    expect((await set(guard)).logs[0]?.topics[0]).toBe(composable.getEvent('SwapGuardSet')?.topicHash)
    expect(await chain().poll(owner, params)).toBe('SwapGuardRestricted()')
    await chain().rpc.call('anvil_setCode', [guard, codeReturning(1n)])
    expect((await chain().part(owner, params)).order).toEqual(order)
    await chain().rpc.call('anvil_setCode', [guard, codeReturning(0n)])
    await set(zeroAddress)
    expect((await chain().part(owner, params)).order).toEqual(order)
  })
})

describe('settlements', () => {
  const chain = onChain(start)
  const part = { partSellAmount: 10n ** 18n, minPartLimit: 2_000_000n, n: 3, t: 600, span: 300 }
  const person = () => chain().market.accounts[0]?.address ?? zeroAddress

  it.each<[string, () => Promise<Address>]>([
    ['a Safe', () => chain().deploySafe(person())],
    ['a forwarder', () => chain().deployForwarder(person())],
    ['a shed', () => buildShed(chain(), person())],
  ])('a part of %s settles inside its window, and not one block after it', async (_, build) => {
    const { tokens, network } = chain().market
    const wallet = await build()
    await chain().mint(tokens.DAI.address, wallet, 10n ** 19n)
    await chain().mint(tokens.USDC.address, network.settlement, 10n ** 9n)
    const params = twap(1, {
      ...part,
      ...{ sellToken: tokens.DAI.address, buyToken: tokens.USDC.address, t0: 0 },
    })
    const calls = [chain().approval(tokens.DAI.address), walletCall(composableCow, createNow(params))]
    const from = (await chain().now()) + 10
    expect((await chain().execute(person(), wallet, calls, from)).status).toBe('0x1')
    const { order, signature } = await chain().part(wallet, params)
    expect(order.validTo).toBe(from + 299)
    const digest = orderDigest(network, order)
    const other = `0x${'d1'.repeat(32)}` as Bytes32

    await chain().mineAt(from + 299)
    expect(await chain().verdict(wallet, digest, signature)).toBe('0x1626ba7e')
    expect(await chain().verdict(wallet, other, signature)).not.toBe('0x1626ba7e')
    await trying(chain(), async () => {
      await chain().mineAt(from + 300)
      expect(await chain().verdict(wallet, digest, signature)).toBe('OrderNotValid(not within span)')
      expect((await chain().settle(wallet, order, signature)).status).toBe('0x0')
      await chain().mineAt(from + 600)
      expect(await chain().verdict(wallet, digest, signature)).toBe('OrderNotValid(invalid hash)')
    })
    await trying(chain(), async () => {
      await chain().execute(person(), wallet, [walletCall(composableCow, remove(params))], from + 300)
      expect(await chain().verdict(wallet, digest, signature)).toBe('SingleOrderNotAuthed()')
    })

    // The first block of the next part's window, then the last.
    const second = await trying(chain(), async () => {
      await chain().mineAt(from + 600)
      return chain().part(wallet, params)
    })
    expect((await chain().settle(wallet, second.order, second.signature, from + 599)).status).toBe('0x0')
    expect((await chain().settle(wallet, second.order, second.signature, from + 899)).status).toBe('0x1')
    expect(await chain().balance(tokens.DAI.address, wallet)).toBe(9n * 10n ** 18n)
    expect(await chain().balance(tokens.USDC.address, receiver)).toBe(part.minPartLimit)

    const third = await trying(chain(), async () => {
      await chain().mineAt(from + 1200)
      return chain().part(wallet, params)
    })
    expect((await chain().settle(wallet, third.order, third.signature, from + 1500)).status).toBe('0x0')
    expect(await chain().balance(tokens.DAI.address, wallet)).toBe(9n * 10n ** 18n)
  })

  it('a forwarder refuses the signature of another digest', async () => {
    const wallet = await chain().deployForwarder(person())
    const params = twap(1)
    await chain().execute(person(), wallet, [walletCall(composableCow, create(params))])
    const { signature } = await chain().part(wallet, params)
    expect(await chain().verdict(wallet, `0x${'d1'.repeat(32)}`, signature)).toBe('InvalidHash()')
  })

  it('a Safe verifies while its fallback handler and its verifier are set', async () => {
    const wallet = await chain().deploySafe(person())
    const handlers = new Interface(readArtifact('ExtensibleFallbackHandler').abi)
    const walletAbi = new Interface(readArtifact('SafeWallet').abi)
    const domain = domainSeparator(chain().market.network)
    const run = async (data: string) => {
      const { status, logs } = await chain().execute(person(), wallet, [walletCall(wallet, data)])
      expect(status).toBe('0x1')
      return logs.map(({ address: emitter, topics, data }) => ({
        emitter: address(emitter),
        name: [handlers, walletAbi].map((abi) => abi.parseLog({ topics, data })?.name).find(Boolean),
      }))
    }
    const verifier = (at: Address) => run(handlers.encodeFunctionData('setDomainVerifier', [domain, at]))
    const fallback = (at: Address) => run(walletAbi.encodeFunctionData('setFallbackHandler', [at]))
    const params = twap(1)
    await chain().execute(person(), wallet, [walletCall(composableCow, create(params))])
    const { order, signature } = await chain().part(wallet, params)
    const digest = orderDigest(chain().market.network, order)
    const verdict = () => chain().verdict(wallet, digest, signature)
    const refused = (text: string) =>
      new Interface(['error Error(string)']).encodeErrorResult('Error', [text])
    expect(await verdict()).toBe('0x1626ba7e')

    // Without a verifier the view answers, and the signature is one of the Safe's owner.
    expect(await verifier(zeroAddress)).toEqual([{ emitter: fallbackHandler, name: 'RemovedDomainVerifier' }])
    expect((await chain().part(wallet, params)).order).toEqual(order)
    expect(await verdict()).toBe(refused('GS026'))
    expect(await verifier(receiver)).toEqual([{ emitter: fallbackHandler, name: 'AddedDomainVerifier' }])
    expect(await verdict()).toBe('0x')
    expect(await verifier(composableCow)).toEqual([
      { emitter: fallbackHandler, name: 'ChangedDomainVerifier' },
    ])
    expect(await verdict()).toBe('0x1626ba7e')

    const compatible = address(`0x${'c0'.repeat(20)}`)
    await chain().rpc.call('anvil_setCode', [compatible, codeReturning(0n)])
    expect(await fallback(compatible)).toEqual([{ emitter: wallet, name: 'ChangedFallbackHandler' }])
    expect(await chain().poll(wallet, params)).toBe('InvalidFallbackHandler()')
    await fallback(zeroAddress)
    expect(await chain().poll(wallet, params)).toBe('0x')
    expect(await verdict()).toBe('0x')
    await fallback(fallbackHandler)
    expect(await verdict()).toBe('0x1626ba7e')

    // By itself alone.
    const data = handlers.encodeFunctionData('setDomainVerifier', [domain, zeroAddress])
    expect((await chain().send(person(), wallet, data)).status).toBe('0x0')
    expect((await chain().execute(receiver, wallet, [])).status).toBe('0x0')
    expect(describeRevert(await verdict())).toBe('0x1626ba7e')
  })
})

async function buildShed(stage: ConditionalStage, user: Address): Promise<Address> {
  const factory = new Interface(readArtifact('ShedFactory').abi)
  const at = programmaticContracts.ShedFactory
  const read = async (method: string, value: Address) => {
    const answer = await stage.call(at, factory.encodeFunctionData(method, [value]))
    return 'data' in answer ? address(`0x${answer.data.slice(-40)}`) : zeroAddress
  }
  const shed = await read('proxyOf', user)
  expect(await read('ownerOf', shed)).toBe(zeroAddress)
  const { logs } = await stage.send(receiver, at, factory.encodeFunctionData('build', [user]))
  expect(logs.map((log) => factory.parseLog(log)?.args.toArray())).toEqual([[user, shed].map(checksummed)])
  expect(await read('ownerOf', shed)).toBe(user)
  expect((await stage.send(receiver, at, factory.encodeFunctionData('build', [user]))).logs).toEqual([])
  return shed
}

const checksummed = (at: Address) => coder.decode(['address'], coder.encode(['address'], [at]))[0]

/** Runs `work` and then reverts the chain. */
async function trying<T>(stage: ConditionalStage, work: () => Promise<T>): Promise<T> {
  const snapshot = await stage.rpc.call('evm_snapshot')
  try {
    return await work()
  } finally {
    await stage.rpc.call('evm_revert', [snapshot])
  }
}
