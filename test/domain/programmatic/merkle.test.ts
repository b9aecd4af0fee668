import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, type Hex, hexSize, hexToBytes } from '../../../src/domain/evm/hex.ts'
import { keccakHex } from '../../../src/domain/evm/keccak.ts'
import {
  maxLeaves,
  merkleLeaf,
  provenance,
  provenRoot,
  readLoggedLeaves,
  sdkLeaf,
} from '../../../src/domain/programmatic/merkle.ts'
import { merkleTree } from './merkle-tree.ts'
import {
  ids,
  type Leaf,
  leafA,
  leafB,
  leafEncodings,
  leafOf,
  owner,
  paramsOf,
  rootAB,
  word,
} from './vectors.ts'

const [A, B] = [paramsOf('A'), paramsOf('B')]
const sdkRoot = '0xecad7f2e3f3d463947eed308ac2642ad7e89e37515aa3da11627e6785c5cd235'

test('leaves, root and proofs of two orders', () => {
  expect([merkleLeaf(ids.A), merkleLeaf(ids.B)]).toEqual([leafA, leafB])
  const tree = merkleTree([leafA, leafB])
  expect(tree.root).toBe(rootAB)
  expect(merkleTree([leafB, leafA]).root).toBe(rootAB)
  expect([tree.proofOf(leafA), tree.proofOf(leafB)]).toEqual([[leafB], [leafA]])
  expect(tree.proofOf(ids.A)).toBeUndefined()
})

test('leaves and root as cow-sdk makes them', () => {
  const [leaf, other] = [sdkLeaf(A), sdkLeaf(B)]
  expect([leaf, other]).toEqual([
    '0xd40e00077c4abf005289b19d0ba1dc536d77d3413e68a694132870971ad8e0ec',
    '0xf680ce99d7c42a265cd25f67bb3bf4fb468bf5d0a7e426b835f068f85dc90173',
  ])
  expect(merkleTree([leaf, other]).root).toBe(sdkRoot)
  expect(provenance(sdkRoot, { params: A, proof: [other] })).toBe('sdk')
})

test('a proof of an order leads to its root alone', () => {
  expect(provenance(rootAB, { params: A, proof: [leafB] })).toBe('proven')
  expect(provenance(rootAB, { params: A, proof: [leafA] })).toBe('unproven')
  expect(provenance(rootAB, { params: A, proof: [leafB, leafB] })).toBe('unproven')
  expect(provenance(ids.A, { params: A, proof: [leafB] })).toBe('unproven')
  expect(provenance(leafA, { params: A, proof: [] }), 'a tree of one').toBe('unproven')
})

test('each leaf of a tree of any size has a proof', () => {
  const leaves = fc.uniqueArray(fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(leaves, ([first = leafA, ...others]) => {
      const { root, proofOf } = merkleTree([first, ...others])
      for (const leaf of [first, ...others]) {
        const proof = proofOf(leaf) ?? []
        expect(provenRoot(leaf, proof)).toBe(root)
        expect(proof.length).toBeLessThanOrEqual(Math.ceil(Math.log2(others.length + 1)))
      }
    }),
  )
})

const twoLeaves: readonly Leaf[] = [
  [[leafB], A],
  [[leafA], B],
]

describe('leaves in a log', () => {
  test.each([
    ['encoded', 1344, '0x2d0089779aae636af5980d90a3480c4bb5782ea4007e6f58d727f977fd58dee9'],
    ['tuples', 1280, '0xba857a3cdfe5678b92291d47541b65157607ed2666ac7f209fa542e6853dc830'],
  ] as const)('%s', (name, size, hash) => {
    const data = leafEncodings[name](twoLeaves)
    expect([hexSize(data), keccakHex(hexToBytes(data))]).toEqual([size, hash])
    expect(readLoggedLeaves(rootAB, data)).toEqual({
      proven: [
        { params: A, proof: [leafB] },
        { params: B, proof: [leafA] },
      ],
      sdk: [],
      unproven: [],
    })
  })

  test.each(Object.entries(leafEncodings))('%s: only those count that lead to the root', (_name, encode) => {
    const data = encode([
      [[leafB], A],
      [[leafB], B],
      [[sdkLeaf(B)], A],
      [[], A],
    ])
    const found = readLoggedLeaves(rootAB, data)
    expect(found).toMatchObject({ proven: [{ params: A, proof: [leafB] }], sdk: [] })
    expect(found?.unproven).toHaveLength(3)
    expect(readLoggedLeaves(sdkRoot, data)).toMatchObject({
      proven: [],
      sdk: [{ params: A, proof: [sdkLeaf(B)] }],
    })
  })

  test.each(Object.entries(leafEncodings))('%s: an empty list', (_name, encode) => {
    expect(readLoggedLeaves(rootAB, encode([]))).toEqual({ proven: [], sdk: [], unproven: [] })
  })

  test.each(Object.entries(leafEncodings))('%s: too many, or too long a proof', (_name, encode) => {
    const small = { handler: owner, salt: word(1), staticInput: '0x' as const }
    const many = (length: number) => encode(Array.from({ length }, (): Leaf => [[], small]))
    expect(readLoggedLeaves(rootAB, many(maxLeaves))?.unproven).toHaveLength(maxLeaves)
    expect(readLoggedLeaves(rootAB, many(maxLeaves + 1))).toBeUndefined()
    const proof = (length: number) => encode([[Array.from({ length }, () => leafA), small]])
    expect(readLoggedLeaves(rootAB, proof(64))?.unproven).toHaveLength(1)
    expect(readLoggedLeaves(rootAB, proof(65))).toBeUndefined()
  })

  test('of more than a mebibyte', () => {
    const data = leafEncodings.tuples(twoLeaves)
    const padded = (size: number): Hex => `0x${data.slice(2).padEnd(2 * size, '0')}`
    expect(readLoggedLeaves(rootAB, padded(1_048_576))?.proven).toHaveLength(2)
    expect(readLoggedLeaves(rootAB, padded(1_048_577))).toBeUndefined()
  })

  test('that share their bytes', () => {
    const [one = ''] = twoLeaves.map(leafOf)
    const offsets = Array.from({ length: 900 }, () => word(32 * 900).slice(2)).join('')
    const bomb: Hex = `${word(32)}${word(900).slice(2)}${offsets}${one}`
    expect(readLoggedLeaves(rootAB, bomb)).toBeUndefined()
  })
})
