import { HDNodeWallet, Mnemonic } from 'ethers'
import { type Address, address } from '../domain/evm/address.ts'
import { type Hex, toHex } from '../domain/evm/hex.ts'

export interface Account {
  address: Address
  privateKey: Hex
}

/** The public mnemonic of development nodes: never for accounts with real funds. Anvil unlocks its first ten accounts. */
const mnemonic = Mnemonic.fromPhrase('test test test test test test test test test test test junk')

export interface DevAccounts {
  traders: Account[]
  deployer: Account
  solver: Account
  /** For solvers that are not part of this program. */
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
