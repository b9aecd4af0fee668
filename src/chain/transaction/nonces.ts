import type { Transactions } from './transactions.ts'

/** The nonces of one account, also while the node has forgotten transactions that are still to be mined. */
export interface Nonces {
  /** Returns the lowest nonce that neither the node nor a claim has. */
  next(): Promise<number>
  /** Reserves a nonce. @returns a function that ends this claim */
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
