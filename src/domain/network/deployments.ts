import { type Address, address } from '../evm/address.ts'

export const profiles = ['production', 'staging'] as const
export type Profile = (typeof profiles)[number]

export interface SettlementPair {
  settlement: Address
  vaultRelayer: Address
}

/** The contract that places orders that sell the chain's own coin; the same on every chain. */
export const ethFlowOf: Readonly<Record<Profile, Address>> = {
  production: address('0xba3cb449bd2b4adddbc894d8697f5170800eadec'),
  staging: address('0xb37aDD6AC288BD3825a901Cba6ec65A89f31B8CC'),
}

/** The settlement contract and relayer of each profile; the addresses are the same on every chain. */
export const settlementPairs: Readonly<Record<Profile, SettlementPair>> = {
  production: {
    settlement: address('0x9008D19f58AAbD9eD0D60971565AA8510560ab41'),
    vaultRelayer: address('0xC92E8bdf79f0507f65a392b0ab4667716BFE0110'),
  },
  staging: {
    settlement: address('0xf553d092b50bdcbddeD1A99aF2cA29FBE5E2CB13'),
    vaultRelayer: address('0xC7242d167563352E2BCA4d71C043fbe542DB8FB2'),
  },
}
