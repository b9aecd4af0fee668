import { expect, test } from 'vitest'
import type { Rpc, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { createAccountBalances } from '../../../src/chain/transaction/account-balances.ts'
import { createRefund } from '../../../src/chain/transaction/refund.ts'
import { accountOf } from '../../../src/chain/transaction/transactions.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const key = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const gwei = 10n ** 9n

test('a refund waits while its account cannot pay for it, and is sent once it can', async () => {
  const gas = 50_000n
  // At twice the base fee and a tip, with a fifth more gas.
  const cost = ((gas * 12n) / 10n) * 21n * gwei
  const chain = { balance: cost - 1n, sent: 0 }
  const answers: Record<string, () => unknown> = {
    eth_estimateGas: () => toQuantity(gas),
    eth_getBalance: () => toQuantity(chain.balance),
    eth_getBlockByNumber: () => ({ baseFeePerGas: toQuantity(10n * gwei) }),
    eth_maxPriorityFeePerGas: () => toQuantity(gwei),
    eth_getTransactionCount: () => '0x0',
    eth_blockNumber: () => '0x1',
    eth_sendRawTransaction: () => void chain.sent++,
    eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: '0x2' }),
  }
  const rpc = {
    call: async (method: string) => answers[method]?.(),
    batch: async (calls: RpcCall[]) => calls.map(({ method }) => ({ value: answers[method]?.() })),
  } as unknown as Rpc
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (_: string, fields?: object) => void warnings.push(fields) }
  const accounts = new Map([[accountOf(key), 'refunder']])
  const balances = createAccountBalances({ rpc, accounts, log })
  const refund = createRefund({ rpc, chainId: 1, privateKey: key, maxFeePerGas: 500n * gwei, balances, log })
  const order = sampleOrder({ receiver: numbered('0f') })
  expect([await refund(order), await refund(order), chain.sent]).toEqual(['unpaid', 'unpaid', 0])
  expect(warnings).toEqual([
    { account: accountOf(key), name: 'refunder', balance: String(cost - 1n), cost: String(cost) },
  ])
  chain.balance = cost
  expect([await refund(order), chain.sent]).toEqual(['sent', 1])
})
