import { createChain } from '../../src/chain/chain.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Market } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'

const held = 10n ** 24n
const atOnce = 100

/** Gives all traders approved DAI. */
export async function fundTraders(
  rpc: Rpc,
  { network, tokens }: Market,
  traders: readonly Address[],
): Promise<void> {
  const token = tokens.DAI.address
  const amount = `0x${held.toString(16)}`
  const chain = createChain({ rpc, network })
  for (let start = 0; start < traders.length; start += atOnce) {
    const some = traders.slice(start, start + atOnce)
    await rpc.batch(
      some.flatMap((owner) => [
        { method: 'anvil_dealERC20', params: [owner, token, amount] },
        { method: 'anvil_setERC20Allowance', params: [owner, network.vaultRelayer, token, amount] },
      ]),
    )
    await rpc.call('evm_mine')
    const funds = await chain.spendable(some.map((owner) => ({ owner, token })))
    if (funds.some(({ balance, allowance }) => balance < held || allowance < held))
      throw new Error('a trader of the bench was not funded')
  }
}
