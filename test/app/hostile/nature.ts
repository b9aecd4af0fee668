import type { TestChain } from '../../setup/chain.ts'
import type { Random } from '../../setup/random.ts'

interface RawBlock {
  transactions: { hash: string; from: string; to: string; input: string; gas: string }[]
}

/**
 * Replaces the newest blocks by as many others. Their transactions are lost, or come back in another order:
 * those of the solver as they were signed, the others with new nonces.
 */
export async function reorganize({ rpc, market }: TestChain, depth: number, random: Random): Promise<void> {
  const head = Number(await rpc.call<string>('eth_blockNumber'))
  const blocks = await Promise.all(
    Array.from({ length: depth }, (_, index) =>
      rpc.call<RawBlock>('eth_getBlockByNumber', [`0x${(head - index).toString(16)}`, true]),
    ),
  )
  const lost = blocks.flatMap(({ transactions }) => transactions)
  const signed = new Map(
    await Promise.all(
      lost
        .filter(({ from }) => from === market.solver.address)
        .map(async ({ hash }) => [hash, await rpc.call('eth_getRawTransactionByHash', [hash])] as const),
    ),
  )
  await rpc.call('anvil_reorg', [depth, []])
  if (random.chance(0.4)) return
  for (const { hash, from, to, input, gas } of random.shuffled(lost)) {
    if (random.chance(0.2)) continue
    const raw = signed.get(hash)
    const again = raw
      ? rpc.call('eth_sendRawTransaction', [raw])
      : rpc.call('eth_sendTransaction', [{ from, to, data: input, gas }])
    // The node may have it already, or it may not be possible any more.
    await again.catch(() => undefined)
  }
}
