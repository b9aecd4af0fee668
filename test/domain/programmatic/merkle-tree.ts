import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import { provenRoot } from '../../../src/domain/programmatic/merkle.ts'

interface MerkleTree {
  root: Bytes32
  /** @returns undefined for a leaf that the tree lacks */
  proofOf(leaf: Bytes32): Bytes32[] | undefined
}

/**
 * Builds a tree as OpenZeppelin's library does: sorted leaves at the end of a complete binary tree.
 * @param leaves at least one; a tree of one authorises nothing, because its proof is empty
 */
export function merkleTree(leaves: readonly [Bytes32, ...Bytes32[]]): MerkleTree {
  const sorted = [...new Set(leaves)].toSorted().toReversed()
  const nodes: Bytes32[] = Array.from({ length: sorted.length - 1 }, () => '0x')
  nodes.push(...sorted)
  const at = (index: number) => nodes[index] ?? '0x'
  for (let index = sorted.length - 2; index >= 0; index--) {
    nodes[index] = provenRoot(at(2 * index + 1), [at(2 * index + 2)])
  }
  return {
    root: at(0),
    proofOf(leaf) {
      const place = nodes.indexOf(leaf, sorted.length - 1)
      if (place === -1) return undefined
      const proof: Bytes32[] = []
      for (let index = place; index > 0; index = (index - 1) >> 1) {
        proof.push(at(index % 2 === 0 ? index - 1 : index + 1))
      }
      return proof
    },
  }
}
