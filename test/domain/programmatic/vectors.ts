import { encodeBytes, encodeList, encodeTuple } from '../../../src/domain/evm/abi.ts'
import { address } from '../../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../src/domain/evm/hex.ts'
import { merkleLeaf } from '../../../src/domain/programmatic/merkle.ts'
import {
  type ConditionalOrderParams,
  encodeParams,
  paramsId,
} from '../../../src/domain/programmatic/params.ts'
import { encodeStaticInput, type TwapInput } from '../../../src/domain/programmatic/static-input.ts'
import { twapSchedule } from '../../../src/domain/programmatic/twap.ts'
import { numbered } from '../../fakes/order.ts'
import { merkleTree } from './merkle-tree.ts'

/** A worked example of four orders, computed with another library. */

export const twapHandler = address('0x6cF1e9cA41f7611dEf408122793c358a3d11E5a5')
export const owner = numbered('11')
export const appData: Bytes32 = '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d'
export const start = 1_800_000_000

const common: TwapInput = {
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  receiver: numbered('22'),
  partSellAmount: 250_000_000_000_000_000n,
  minPartLimit: 500_000_000n,
  t0: BigInt(start),
  n: 4n,
  t: 3_600n,
  span: 0n,
  appData,
}

export const twapInput = (change: Partial<TwapInput> = {}): TwapInput => ({ ...common, ...change })

export const inputs = {
  A: twapInput(),
  B: twapInput({ span: 600n }),
  C: twapInput({ t0: 0n }),
  D: twapInput({ receiver: numbered('00') }),
}

export type Name = keyof typeof inputs
export const cabinetOfC = 1_800_000_123n

export const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

export const paramsOf = (name: Name): ConditionalOrderParams => ({
  handler: twapHandler,
  salt: word('ABCD'.indexOf(name) + 1),
  staticInput: encodeStaticInput('TWAP', inputs[name]),
})

export const scheduleOf = (name: Name) => scheduled(inputs[name], name === 'C' ? cabinetOfC : 0n)

export function scheduled(input: TwapInput, cabinet = 0n) {
  const schedule = twapSchedule(input, cabinet)
  if ('fault' in schedule) throw new Error(schedule.fault)
  return schedule
}

export const ids: Record<Name, Bytes32> = {
  A: '0x994ac0dbb550f0f69dd96d6b8909be520e0107a761c2d201e977653c1244f74d',
  B: '0xd58f96a12374c0ded16167dbf5401d06155ac7ecdcdbe984d29f2564216f0539',
  C: '0x8ee380fe2fad1ac7b7f3ee299bc648e5a205c64289038f8c978cee1fd8f48d32',
  D: '0xa5f5457f50c4b6c6570cc3d0d7cdae6ea5309e63bd3f00f0b670721590490742',
}

export const leafA: Bytes32 = '0x60022ab2bff4ea16b88dec1beb520f88f535fa3900dd197b5418c391d060184d'
export const leafB: Bytes32 = '0x895e4c33c3a44150133fafde14337e35dd2929ab2a4ff9c0edca9f8f0c61c921'
export const rootAB: Bytes32 = '0x755dc64e5308da5f7fe2cd12c352fa8a81399102cb24544d3322aa9aae48dde4'

/** The digests of the parts in Sepolia's domain, with their first and last seconds. */
export const parts: readonly (readonly [Name, number, number, number, Bytes32])[] = [
  ['A', 0, 1800000000, 1800003599, '0x7be0220fec462c2a138c96901e316a3d2cbf611762f45d1e2f68d7cf2384bf45'],
  ['A', 1, 1800003600, 1800007199, '0x979a6c6b835488e0beee8fb9b9755de7e84e500ebde4241761eab47366cc6d78'],
  ['A', 2, 1800007200, 1800010799, '0x32ff5305b3388d5074b76990318e8d605d17ef7603bd7efd280b213fca786b1f'],
  ['A', 3, 1800010800, 1800014399, '0x26c92b63cf224ba2b05219e11977b023840e8a05beda7b649411049291665a11'],
  ['B', 0, 1800000000, 1800000599, '0x226f7d562633444a39111259578f7eff66df62a16f76200151f327621ee58049'],
  ['B', 1, 1800003600, 1800004199, '0x67ed4d4545fd113a0a5d4d29b51986e8cf9742928feeccb469a4f6c7ed4f32ef'],
  ['B', 2, 1800007200, 1800007799, '0xd35cd04d99dd858cc2d893c59596eb663e01ef352a1d858b5bab63a035c04648'],
  ['B', 3, 1800010800, 1800011399, '0xac82d5ce73bbc8fbe96a0700cdb9fee5d4e120910a8b82ff97d0d4089d24605d'],
  ['C', 0, 1800000123, 1800003722, '0xf4445e0778d3a160f05c109ee7b2b08df8c21ccef53976736ada4a1a00fb41a8'],
  ['C', 1, 1800003723, 1800007322, '0xdc773626948a9f21ffdf9a976ca2a317e2fa89ccc6c8455468c74c3ede60f171'],
  ['C', 2, 1800007323, 1800010922, '0x944cfebcdd68f3e376d817b5a76d7de7692ce0e932f59a24d0e4ddd9ba88397d'],
  ['C', 3, 1800010923, 1800014522, '0x76739e85b40ae30e85d0a04749ef5653a6df4bf30aafe54d7a6126845c5042e2'],
  ['D', 0, 1800000000, 1800003599, '0x999516e81ca6a6c875971d407605ec4717c5345b628deb07667fbfe271673cd6'],
]

export type Leaf = [proof: Bytes32[], params: ConditionalOrderParams]
export const leafOf = ([proof, params]: Leaf) =>
  encodeTuple([
    { dynamic: encodeList(proof.map((node) => node.slice(2))) },
    { dynamic: encodeParams(params).slice(66) },
  ])
const listOf = (items: readonly string[]): Hex =>
  `0x${encodeTuple([{ dynamic: encodeList(items.map((dynamic) => ({ dynamic }))) }])}`
/** The encodings of leaves in the log of a root. */
export const leafEncodings = {
  encoded: (leaves: readonly Leaf[]) => listOf(leaves.map((leaf) => encodeBytes(`0x${leafOf(leaf)}`))),
  tuples: (leaves: readonly Leaf[]) => listOf(leaves.map(leafOf)),
}

/**
 * A tree of orders, the data of its log in one of the encodings, and its proofs.
 * @param leafHash that of the contract by default
 */
export function treeOf(
  orders: readonly ConditionalOrderParams[],
  encode: (leaves: readonly Leaf[]) => Hex = leafEncodings.tuples,
  leafHash = (params: ConditionalOrderParams) => merkleLeaf(paramsId(params)),
) {
  const [first, ...rest] = orders.map(leafHash)
  if (!first) throw new Error('no orders')
  const tree = merkleTree([first, ...rest])
  const proofOf = (params: ConditionalOrderParams) => tree.proofOf(leafHash(params)) ?? []
  return { root: tree.root, proofOf, data: encode(orders.map((params) => [proofOf(params), params])) }
}
