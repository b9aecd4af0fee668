import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Candidate, OrderServices } from '../check.ts'
import { faultyPermit } from './permit.ts'

/** The owner can pay now: the balance and the allowance suffice, and the token's transfer does not revert. */
export async function funds(
  { order, owner, parsedAppData }: Candidate,
  answer: OrderAnswer,
  services: OrderServices,
): Promise<void> {
  const { balance, allowance, transfer, exhausted } = answer
  const needed = order.sellAmount + order.feeAmount
  if (exhausted) {
    throw transferFailed('the order’s hooks or its sell token do not end in the time they are given', '0x')
  }
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
    const { preHooks } = parsedAppData
    const spender = services.network.vaultRelayer
    const permit = await faultyPermit(preHooks, { owner, spender, token: order.sellToken, needed }, services)
    const short = `vault relayer may spend ${allowance} of the sell token, the order needs ${needed}`
    throw new Refusal('InsufficientAllowance', permit ? `${short}: ${permit}` : short, {
      field: 'sellAmount',
      data: { have: allowance.toString(), need: needed.toString(), spender, ...(permit && { permit }) },
    })
  }
  if (transfer !== 'ok') {
    throw transferFailed(
      `the transfer of ${needed} of the sell token reverts with ${transfer.revert}`,
      transfer.revert,
    )
  }
}

function transferFailed(message: string, revert: string): Refusal {
  return new Refusal('TransferSimulationFailed', message, { field: 'sellToken', data: { revert } })
}
