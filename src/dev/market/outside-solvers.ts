import { toQuantity } from 'ethers'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { address } from '../../domain/evm/address.ts'
import type { Account } from '../accounts.ts'
import { authenticatorAbi, authenticatorAddress } from '../chain/settlement-contracts.ts'

/** Of gas, in wei. */
const balance = 10_000n * 10n ** 18n

/** Puts accounts of outside solvers on the allow-list of a running local chain, and funds them for gas. */
export async function allowSolvers(rpc: Rpc, accounts: readonly Pick<Account, 'address'>[]): Promise<void> {
  if (accounts.length === 0) return
  const to = authenticatorAddress
  const read = await rpc.call<string>('eth_call', [
    { to, data: authenticatorAbi.encodeFunctionData('manager') },
    'latest',
  ])
  const manager = address(String(authenticatorAbi.decodeFunctionResult('manager', read)[0]))
  await rpc.call('anvil_setBalance', [manager, toQuantity(balance)])
  await rpc.call('anvil_impersonateAccount', [manager])
  for (const account of accounts) {
    const data = authenticatorAbi.encodeFunctionData('addSolver', [account.address])
    await rpc.call('eth_sendTransaction', [{ from: manager, to, data, gas: toQuantity(200_000) }])
    await rpc.call('anvil_setBalance', [account.address, toQuantity(balance)])
  }
  await rpc.call('evm_mine')
  await rpc.call('anvil_stopImpersonatingAccount', [manager])
}
