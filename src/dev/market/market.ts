import { getCreateAddress, HDNodeWallet, Mnemonic, toQuantity } from 'ethers'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import { type Hex, toHex } from '../../domain/evm/hex.ts'
import {
  defaultHooksTrampoline,
  defaultPoolProject,
  defaultPriceAmount,
  defaultShedFactories,
  ethFlowOf,
  type Network,
} from '../../domain/network/network.ts'
import { composableCow } from '../../domain/programmatic/handlers.ts'
import { chainId } from '../chain/anvil.ts'
import {
  authenticatorAbi,
  authenticatorAddress,
  settlementAddress,
  vaultRelayerAddress,
} from '../chain/settlement-contracts.ts'

export interface Account {
  address: Address
  privateKey: Hex
}

/**
 * The public mnemonic of development nodes: never for accounts with real funds. Anvil unlocks its first ten
 * accounts.
 */
const mnemonic = Mnemonic.fromPhrase('test test test test test test test test test test test junk')

interface DevAccounts {
  traders: Account[]
  deployer: Account
  solver: Account
  /** Accounts for outside solvers. */
  outsideSolvers: Account[]
  /** Anvil funds it. */
  refunder: Account
}

export function deriveAccounts(): DevAccounts {
  const parent = HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'/0'/0")
  const account = (index: number): Account => {
    const child = parent.deriveChild(index)
    return { address: address(child.address), privateKey: privateKey(child.privateKey) }
  }
  return {
    traders: [0, 1, 2, 3, 4].map(account),
    deployer: account(8),
    solver: account(9),
    outsideSolvers: [10, 11, 12, 13, 14, 15].map(account),
    refunder: account(7),
  }
}

function privateKey(text: string): Hex {
  const key = toHex(text, 32)
  if (!key) throw new TypeError('not a private key')
  return key
}

export const tokenSymbols = ['WETH', 'USDC', 'DAI', 'COW', 'FEE'] as const
export type TokenSymbol = (typeof tokenSymbols)[number]

interface MarketToken {
  address: Address
  decimals: number
}

/** The contracts and accounts of the local chain. */
export interface Market {
  network: Network
  tokens: Record<TokenSymbol, MarketToken>
  /** Five traders: funded, and with every token approved for the vault relayer. */
  accounts: Account[]
  /** Solver on the allow-list, funded for gas. */
  solver: Account
  /** Accounts for outside solvers: see `allowSolvers`. */
  outsideSolvers: Account[]
  /** Pays for refunds of expired orders. */
  refunder: Account
}

/** Contracts that the deployer creates, in this order: their addresses follow from it. */
const deployedInOrder = ['USDC', 'DAI', 'COW', 'FEE', 'PoolFactory', 'BalanceGuard'] as const

/** Sepolia's wrapped native coin, which client libraries know. */
const wrappedNative = address('0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14')

/** Deterministic: the same on every start and every machine. */
export function describeMarket(): Market {
  const { traders, deployer, solver, refunder, outsideSolvers } = deriveAccounts()
  const created = (name: (typeof deployedInOrder)[number]): Address =>
    address(getCreateAddress({ from: deployer.address, nonce: deployedInOrder.indexOf(name) }))
  const tokens: Market['tokens'] = {
    WETH: { address: wrappedNative, decimals: 18 },
    USDC: { address: created('USDC'), decimals: 6 },
    DAI: { address: created('DAI'), decimals: 18 },
    COW: { address: created('COW'), decimals: 18 },
    FEE: { address: created('FEE'), decimals: 18 },
  }
  const network: Network = {
    chainId,
    name: 'sepolia',
    settlement: settlementAddress,
    vaultRelayer: vaultRelayerAddress,
    hooksTrampoline: defaultHooksTrampoline,
    balanceGuard: created('BalanceGuard'),
    ethFlows: [ethFlowOf.production],
    conditionalOrders: { composableCow, firstBlock: 0, shedFactories: defaultShedFactories },
    wrappedNative,
    poolFactory: created('PoolFactory'),
    poolProject: defaultPoolProject,
    baseTokens: [tokens.WETH.address, tokens.USDC.address, tokens.DAI.address],
    priceAmount: defaultPriceAmount,
    usdReference: tokens.USDC.address,
    holderTokens: Object.values(tokens).map((token) => ({ address: token.address, fromBlock: 0 })),
    firstBlock: 0,
    finalityBlocks: 64,
    blockTimeMs: 1_000,
  }
  return { network, tokens, accounts: traders, solver, refunder, outsideSolvers }
}

/** Balance for gas, in wei. */
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
