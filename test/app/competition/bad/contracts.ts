import { Interface } from 'ethers'
import { compileSources } from '../../../../src/dev/contracts/compile.ts'
import { type Address, address } from '../../../../src/domain/evm/address.ts'
import type { Ground } from '../ground.ts'
import { tokenAbi, unit } from '../orders/crowd.ts'

export const thiefAbi = new Interface([
  'function take(address token, address from, uint256 amount)',
  'function takeBeyond(address token, address from, uint256 floor)',
  'function takeWhenMined(address token, address from, uint256 amount)',
  'function pay(address token, address to, uint256 amount)',
])
export const callingAbi = new Interface(['function send(address to, uint256 value, bytes data)'])

export const thief = address('0x00000000000000000000000000000000007411ef')
export const callingToken = address('0x000000000000000000000000000000000ca11b0c')
/** The thief's initial atoms of each token, with which it outbids others. */
const stake = { WETH: unit.WETH / 100n, USDC: unit.USDC, DAI: unit.DAI, COW: unit.COW } as const

/** Deploys the thief. Each of the market's tokens has a name in the bad solvers' balances. */
export async function putThief({ rpc, market }: Pick<Ground, 'rpc' | 'market'>): Promise<void> {
  const source = new URL('contracts/Thief.sol', import.meta.url)
  const places: [string, Address][] = [
    ['Thief', thief],
    ['CallingToken', callingToken],
  ]
  const made = compileSources(
    [source],
    places.map(([name]) => ['Thief.sol', name]),
  )
  for (const [index, [, at]] of places.entries())
    await rpc.call('anvil_setCode', [at, made[index]?.deployedBytecode])
  const [account] = market.accounts
  for (const [symbol, amount] of Object.entries(stake)) {
    const { address: to } = market.tokens[symbol as keyof typeof stake]
    const data = tokenAbi.encodeFunctionData('transfer', [thief, amount])
    await rpc.call('eth_sendTransaction', [{ from: account?.address, to, data }])
  }
  await rpc.call('evm_mine')
}

/** @returns the thief's balances above its initial ones, without zeros */
export async function takings({ rpc, market }: Pick<Ground, 'rpc' | 'market'>): Promise<[string, bigint][]> {
  const found = await Promise.all(
    Object.entries(stake).map(async ([symbol, amount]): Promise<[string, bigint]> => {
      const { address: to } = market.tokens[symbol as keyof typeof stake]
      const data = tokenAbi.encodeFunctionData('balanceOf', [thief])
      return [symbol, BigInt(await rpc.call<string>('eth_call', [{ to, data }, 'latest'])) - amount]
    }),
  )
  const coins = BigInt(await rpc.call<string>('eth_getBalance', [thief, 'latest']))
  return [...found, ['native', coins] as [string, bigint]].filter(([, amount]) => amount > 0n)
}
