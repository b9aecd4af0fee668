import { Interface, Wallet } from 'ethers'
import type { TokenSymbol } from '../../../src/dev/market/market.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { impersonate, putWallet, readArtifact } from '../../chain/contracts.ts'
import type { TestChain } from '../../setup/chain.ts'

const tokenAbi = new Interface(readArtifact('TestToken').abi)
const walletAbi = new Interface(readArtifact('ContractWallet').abi)
const contractAbi = new Interface([
  'function setPreSignature(bytes orderUid, bool signed)',
  'function invalidateOrder(bytes orderUid)',
])
export const unit: Record<TokenSymbol, bigint> = {
  WETH: 10n ** 18n,
  USDC: 10n ** 6n,
  DAI: 10n ** 18n,
  COW: 10n ** 18n,
  FEE: 10n ** 18n,
}
/** In whole tokens. */
const holdings: Record<TokenSymbol, bigint> = {
  WETH: 120n,
  USDC: 300_000n,
  DAI: 300_000n,
  COW: 900_000n,
  FEE: 500n,
}

/**
 * Code of a wallet that accepts signatures in every simulation, where gas has no price, and none on chain.
 */
const falseOnChain: Hex = `0x3a157f1626ba7e${'00'.repeat(28)}0260005260206000f3`
/** Code of hooks. */
const hookCodes = { plain: '0x00', reverting: '0x60006000fd', burning: '0x5b600056' } as const

/** Ten traders, and what they use on the chain. */
interface Crowd {
  traders: Wallet[]
  /** Contract wallets that the eighth trader signs for. */
  wallets: { open: Address; closing: Address; false: Address }
  hooks: Record<keyof typeof hookCodes, Address>
  /** Of native coins, and of what traders move away. */
  aside: Address
}

/** The same addresses and keys in every run. */
const keyOf = (name: string) => keccakText(`hostile ${name}`)
const addressOf = (name: string): Address => address(`0x${keyOf(name).slice(-40)}`)

export function createCrowd(chain: TestChain) {
  const { rpc, market } = chain
  const { settlement, vaultRelayer } = market.network
  const traders = Array.from({ length: 10 }, (_, index) => new Wallet(keyOf(`trader ${index}`)))
  const signer = traders[7] as Wallet
  const crowd: Crowd = {
    traders,
    wallets: {
      open: addressOf('open wallet'),
      closing: addressOf('closing wallet'),
      false: addressOf('false wallet'),
    },
    hooks: { plain: addressOf('plain'), reverting: addressOf('reverting'), burning: addressOf('burning') },
    aside: addressOf('aside'),
  }

  /** Sent, and mined with one of the next blocks. */
  async function send(from: string, to: string, data: string): Promise<void> {
    await rpc.call('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }])
  }

  const move = (symbol: TokenSymbol, from: string, to: string, amount: bigint) =>
    send(from, market.tokens[symbol].address, tokenAbi.encodeFunctionData('transfer', [to, amount]))

  async function fund(account: Address, bank: Address): Promise<void> {
    await impersonate(rpc, account)
    for (const [symbol, whole] of Object.entries(holdings) as [TokenSymbol, bigint][]) {
      const amount = whole * unit[symbol]
      if (symbol === 'WETH') await move(symbol, bank, account, amount)
      else
        await send(
          bank,
          market.tokens[symbol].address,
          tokenAbi.encodeFunctionData('mint', [account, amount]),
        )
      const data = tokenAbi.encodeFunctionData('approve', [vaultRelayer, maxUint256])
      await send(account, market.tokens[symbol].address, data)
    }
    await rpc.call('evm_mine')
  }

  /** Every account holds and has approved every token, and code is where it belongs. */
  async function prepare(): Promise<void> {
    const accounts = [...traders.map(({ address: at }) => address(at)), ...Object.values(crowd.wallets)]
    for (const [index, account] of accounts.entries()) {
      await fund(account, market.accounts[index % market.accounts.length]?.address as Address)
    }
    await impersonate(rpc, crowd.aside)
    for (const at of [crowd.wallets.open, crowd.wallets.closing])
      await putWallet(rpc, at, address(signer.address))
    await rpc.call('anvil_setCode', [crowd.wallets.false, falseOnChain])
    for (const [name, code] of Object.entries(hookCodes))
      await rpc.call('anvil_setCode', [crowd.hooks[name as keyof typeof hookCodes], code])
    await rpc.call('evm_mine')
  }

  return {
    ...crowd,
    prepare,
    move,
    balanceOf: async (symbol: TokenSymbol, owner: string) =>
      BigInt(
        await rpc.call<Hex>('eth_call', [
          { to: market.tokens[symbol].address, data: tokenAbi.encodeFunctionData('balanceOf', [owner]) },
          'latest',
        ]),
      ),
    presign: (owner: string, uid: string, signed = true) =>
      send(owner, settlement, contractAbi.encodeFunctionData('setPreSignature', [uid, signed])),
    invalidate: (owner: string, uid: string) =>
      send(owner, settlement, contractAbi.encodeFunctionData('invalidateOrder', [uid])),
    closeWallet: () => send(signer.address, crowd.wallets.closing, walletAbi.encodeFunctionData('close')),
  }
}

export type ActiveCrowd = ReturnType<typeof createCrowd>
