import { Refusal } from '../../domain/error.ts'
import type { Check } from '../check.ts'

/** The owner can pay now. Presign orders are exempt: their funds may come with the transaction that signs them. */
export const funds: Check = async ({ creation, data, owner }, { spendable, network }) => {
  if (creation.signingScheme === 'presign') return
  const needed = data.sellAmount + data.feeAmount
  const { balance, allowance } = await spendable(owner, data.sellToken)
  if (balance < needed) {
    throw new Refusal(
      'InsufficientBalance',
      `owner holds ${balance} of the sell token, the order needs ${needed}`,
      {
        field: 'sellAmount',
        data: { have: balance.toString(), need: needed.toString() },
      },
    )
  }
  if (allowance < needed) {
    throw new Refusal(
      'InsufficientAllowance',
      `vault relayer may spend ${allowance} of the sell token, the order needs ${needed}`,
      {
        field: 'sellAmount',
        data: { have: allowance.toString(), need: needed.toString(), spender: network.vaultRelayer },
      },
    )
  }
}
