import { Interface, MaxUint256, Wallet } from 'ethers'
import type { Account, TokenSymbol } from '../../../../src/dev/market/market.ts'
import { type Address, address } from '../../../../src/domain/evm/address.ts'
import { putWallet, readArtifact } from '../../../chain/contracts.ts'
import { type Ground, send } from '../ground.ts'
import type { Plan, Traded } from './plan.ts'

type Chain = Pick<Ground, 'rpc' | 'market'>

export const unit: Record<TokenSymbol, bigint> = {
  WETH: 10n ** 18n,
  USDC: 10n ** 6n,
  DAI: 10n ** 18n,
  COW: 10n ** 18n,
  FEE: 10n ** 18n,
}
/** Atoms worth one WETH when the market begins. */
const wethIn: Record<Traded, bigint> = {
  WETH: unit.WETH,
  USDC: 3_000n * unit.USDC,
  DAI: 3_000n * unit.DAI,
  COW: 10_000n * unit.COW,
}
const symbols = Object.keys(wethIn) as Traded[]
/** The value in WETH of an ample wallet's balance of each token, and of the settlement contract's. */
const [ampleWorth, keptWorth] = [60n, 15n]

export const tokenAbi = new Interface(readArtifact('TestToken').abi)
export const walletAbi = new Interface(readArtifact('ContractWallet').abi)

/** The market's accounts as signers, each with a contract wallet, and further wallets with small balances. */
export interface Crowd {
  signers: { account: Account; wallet: Wallet; contract: Address }[]
  /** Poor wallets by order number. */
  poor: Map<number, Address>
}

export const worthIn = (symbol: Traded | 'native', thousandths: bigint): bigint =>
  (wethIn[symbol === 'native' ? 'WETH' : symbol] * thousandths) / 1_000n

const contractAt = (number: number) =>
  address(`0x${(0xc0117ac7_0000 + number).toString(16).padStart(40, '0')}`)

/** Deploys and funds the wallets, and leaves tokens in the settlement contract. */
export async function prepareCrowd(chain: Chain, plans: readonly Plan[]): Promise<Crowd> {
  const { rpc, market } = chain
  const signers = market.accounts.map((account, index) => ({
    account,
    wallet: new Wallet(account.privateKey),
    contract: contractAt(index),
  }))
  for (const { account, contract } of signers) {
    await putWallet(rpc, contract, account.address)
    for (const symbol of symbols) {
      await give(chain, account, contract, symbol, wethIn[symbol] * ampleWorth)
      await approve(chain, account, contract, symbol)
    }
  }
  const poor = new Map<number, Address>()
  for (const { number, account, scheme, sell, worth } of plans) {
    const signer = signers[account]
    if (scheme !== 'poor' || sell === 'native' || !signer) continue
    const contract = contractAt(1_000 + number)
    await putWallet(rpc, contract, signer.account.address)
    await give(chain, signer.account, contract, sell, worthIn(sell, worth))
    await approve(chain, signer.account, contract, sell)
    poor.set(number, contract)
  }
  await leaveKept(chain)
  await rpc.call('evm_mine')
  return { signers, poor }
}

/** Leaves tokens like the fees of earlier settlements, and some coins. */
async function leaveKept(chain: Chain): Promise<void> {
  const { settlement } = chain.market.network
  const [account] = chain.market.accounts
  if (!account) throw new Error('the market has no accounts')
  for (const symbol of symbols) await give(chain, account, settlement, symbol, wethIn[symbol] * keptWorth)
  await send(chain, account.address, { to: settlement, data: '0x', value: 5n * unit.WETH })
}

/** Transfers the wrapped coin and mints the others: a trader's own balance is for his orders. */
async function give(chain: Chain, from: Account, to: Address, symbol: Traded, amount: bigint): Promise<void> {
  const data = tokenAbi.encodeFunctionData(symbol === 'WETH' ? 'transfer' : 'mint', [to, amount])
  await send(chain, from.address, { to: chain.market.tokens[symbol].address, data })
}

async function approve(chain: Chain, owner: Account, wallet: Address, symbol: Traded): Promise<void> {
  const { tokens, network } = chain.market
  const call = tokenAbi.encodeFunctionData('approve', [network.vaultRelayer, MaxUint256])
  const data = walletAbi.encodeFunctionData('execute', [tokens[symbol].address, 0n, call])
  await send(chain, owner.address, { to: wallet, data })
}
