import type { Transactions } from './transactions.ts'

/** Hands out the nonces of one account, also while the node has forgotten transactions that are still to be mined. */
export interface Nonces {
  /** The lowest one that neither the node nor a claim has. */
  next(): Promise<number>
  /** Keeps a nonce from being handed out. @returns ends this claim */
  claim(nonce: number): () => void
}

export function createNonces({ nextNonce }: Pick<Transactions, 'nextNonce'>): Nonces {
  const claims = new Map<symbol, number>()
  return {
    async next() {
      let nonce = await nextNonce()
      const claimed = new Set(claims.values())
      while (claimed.has(nonce)) nonce++
      return nonce
    },
    claim(nonce) {
      const key = Symbol('claim')
      claims.set(key, nonce)
      return () => void claims.delete(key)
    },
  }
}
