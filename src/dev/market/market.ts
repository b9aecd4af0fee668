import { getCreateAddress } from 'ethers'
import { type Address, address } from '../../domain/evm/address.ts'
import { ethFlowOf } from '../../domain/network/deployments.ts'
import {
  defaultHooksTrampoline,
  defaultPoolProject,
  defaultPriceAmount,
  type Network,
} from '../../domain/network/network.ts'
import { type Account, deriveAccounts } from '../accounts.ts'
import { chainId } from '../chain/anvil.ts'
import { settlementAddress, vaultRelayerAddress } from '../chain/settlement-contracts.ts'

export const tokenSymbols = ['WETH', 'USDC', 'DAI', 'COW', 'FEE'] as const
export type TokenSymbol = (typeof tokenSymbols)[number]

export interface MarketToken {
  address: Address
  decimals: number
}

/** The contracts and accounts of the local chain. */
export interface Market {
  network: Network
  tokens: Record<TokenSymbol, MarketToken>
  /** Five traders: funded, and with every token approved for the vault relayer. */
  accounts: Account[]
  /** On the allow-list, and funded for gas. */
  solver: Account
  /** For outside solvers: see `allowSolvers`. */
  outsideSolvers: Account[]
  /** Pays for refunds of expired orders. */
  refunder: Account
}

/** Contracts that the deployer creates, in this order: their addresses follow from it. */
export const deployedInOrder = ['USDC', 'DAI', 'COW', 'FEE', 'PoolFactory', 'BalanceGuard'] as const

/** Sepolia's wrapped native, which client libraries know. */
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
