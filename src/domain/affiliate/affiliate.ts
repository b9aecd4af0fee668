import { formatUnits, parseUnits } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import { keccakText } from '../evm/keccak.ts'
import { addressWord, domainHash, structHash, typedDigest, uintWord } from '../signing/typed-data.ts'

/** The terms at an affiliate's registration. Plain decimals; amounts are US dollars. */
export interface AffiliateProgramme {
  /** The reward each time that a trader's volume reaches `triggerVolume`. The splits divide it. */
  rewardAmount: string
  triggerVolume: string
  /** The number of days for which a trader's volume counts. */
  timeCapDays: number
  /** The maximum volume of a trader that counts; 0 means all. */
  volumeCap: string
  /** Percentages that add up to 100. */
  revenueSplitAffiliatePct: string
  revenueSplitTraderPct: string
  revenueSplitDaoPct: string
}

export interface Affiliate extends AffiliateProgramme {
  wallet: Address
  code: string
  /** True if traders may use the code. */
  enabled: boolean
  createdAt: Date
}

export const defaultProgramme: AffiliateProgramme = {
  rewardAmount: '20',
  triggerVolume: '250000',
  timeCapDays: 90,
  volumeCap: '0',
  revenueSplitAffiliatePct: '50',
  revenueSplitTraderPct: '50',
  revenueSplitDaoPct: '0',
}

/** Decimal places of stored US dollars and percentages. */
export const dollarDecimals = 18
export const percentDecimals = 2

/** The trader's part of the reward, not rounded. */
export function traderRewardAmount({
  rewardAmount,
  revenueSplitTraderPct,
}: Pick<AffiliateProgramme, 'rewardAmount' | 'revenueSplitTraderPct'>): string {
  const hundredths =
    parseUnits(rewardAmount, dollarDecimals) * parseUnits(revenueSplitTraderPct, percentDecimals)
  return formatUnits(hundredths, dollarDecimals + percentDecimals + 2)
}

/** Codes are upper case; documents may write them in any case. */
export const affiliateCodePattern = /^[A-Z0-9_-]{5,20}$/

/** The constant chain id of the message; the code is valid on all chains. */
const signedChainId = 1
const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
]
const codeTypes = [
  { name: 'walletAddress', type: 'address' },
  { name: 'code', type: 'string' },
  { name: 'chainId', type: 'uint256' },
]

/** Binds a code to a wallet. */
export type AffiliateBinding = Pick<Affiliate, 'wallet' | 'code'>

/** Typed data for `eth_signTypedData_v4`. The domain has neither chain nor contract. */
export function affiliateTypedData(brand: string, { wallet, code }: AffiliateBinding) {
  return {
    types: { EIP712Domain: domainTypes, AffiliateCode: codeTypes },
    primaryType: 'AffiliateCode',
    domain: domainOf(brand),
    message: { walletAddress: wallet, code, chainId: signedChainId },
  }
}

/** The digest of the typed data from `affiliateTypedData`. */
export function affiliateDigest(brand: string, { wallet, code }: AffiliateBinding): Bytes32 {
  const words = [addressWord(wallet), keccakText(code), uintWord(BigInt(signedChainId))]
  const members = codeTypes.map((member, index) => ({ ...member, word: words[index] ?? '0x' }))
  return typedDigest(domainHash(domainOf(brand)), structHash('AffiliateCode', members))
}

function domainOf(brand: string) {
  return { name: `${brand} Affiliate`, version: '1' }
}
