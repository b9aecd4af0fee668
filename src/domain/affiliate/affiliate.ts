import { formatUnits, mulDivDown, parseUnits } from '../amount.ts'
import { decimalOf } from '../described.ts'
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
const percentDecimals = 2

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
type AffiliateBinding = Pick<Affiliate, 'wallet' | 'code'>

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

/** Whole numbers of 10^-18 dollars, written as plain decimals. */
export const dollars = decimalOf<bigint>((amount) => formatUnits(amount, dollarDecimals))

/**
 * Terms as integers, dollars with `dollarDecimals`. `storage/affiliate/statistics.ts` decides which trades
 * count.
 */
export interface Terms {
  rewardAmount: bigint
  triggerVolume: bigint
  /** The cap on a trader's volume; 0 means no cap. */
  volumeCap: bigint
  /** Shares in hundredths of a percent. */
  affiliateShare: bigint
  traderShare: bigint
}

export function termsOf(programme: AffiliateProgramme): Terms {
  const dollars = (text: string) => parseUnits(text, dollarDecimals)
  const share = (text: string) => parseUnits(text, percentDecimals)
  return {
    rewardAmount: dollars(programme.rewardAmount),
    triggerVolume: dollars(programme.triggerVolume),
    volumeCap: dollars(programme.volumeCap),
    affiliateShare: share(programme.revenueSplitAffiliatePct),
    traderShare: share(programme.revenueSplitTraderPct),
  }
}

/** The eligibility of a trade for the affiliate: `eligible`, or the first reason against it that applies. */
export const eligibilities = [
  'eligible',
  'not_bound',
  'before_binding',
  'other_code',
  'time_cap_reached',
  'same_token',
  'no_dollar_value',
  'volume_cap_reached',
] as const
export type Eligibility = (typeof eligibilities)[number]

/** Number of full rewards for one trader's eligible volume. */
export function rewardsOf(eligibleVolume: bigint, { triggerVolume }: Pick<Terms, 'triggerVolume'>): bigint {
  return eligibleVolume / triggerVolume
}

/** Volume until the next reward; 0 when the cap prevents it. */
export function leftToNext(
  eligibleVolume: bigint,
  { triggerVolume, volumeCap }: Pick<Terms, 'triggerVolume' | 'volumeCap'>,
): bigint {
  const left = triggerVolume - (eligibleVolume % triggerVolume)
  return volumeCap > 0n && eligibleVolume + left > volumeCap ? 0n : left
}

/** One side's part of the rewards, rounded down. `share`: hundredths of a percent. */
export function earnedDown(
  rewards: bigint,
  { rewardAmount }: Pick<Terms, 'rewardAmount'>,
  share: bigint,
): bigint {
  return mulDivDown(rewards * rewardAmount, share, 10_000n)
}
