import { type CheckAccountSignature, notSignedBy } from '../chain/order/contract-signature.ts'
import { type Affiliate, affiliateDigest, defaultProgramme } from '../domain/affiliate/affiliate.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import { type Hex, toHex } from '../domain/evm/hex.ts'
import type { Clock } from '../domain/log.ts'
import { findTaken, insertAffiliate } from '../storage/affiliate/affiliates.ts'
import type { Database } from '../storage/database/database.ts'

/** A registration, validated except for the signature, which may be any text. */
export interface AffiliateRegistration {
  wallet: Address
  code: string
  signedMessage: string
}

export interface AffiliateServices {
  db: Database
  now: Clock
  /** The first part of the name in the signed domain. */
  brand: string
  checkSignature: CheckAccountSignature
}

/**
 * Binds a code to a wallet permanently. The signature is checked first, so that only the wallet's owner
 * learns whether the code is taken.
 * @param meter counts the gas of a contract wallet
 * @throws Outage; Refusal InvalidAffiliateSignature, AffiliateWalletBound, AffiliateCodeTaken,
 *   AffiliateExists, RateLimited
 */
export async function registerAffiliate(
  { wallet, code, signedMessage }: AffiliateRegistration,
  { db, now, brand, checkSignature }: AffiliateServices,
  meter?: GasMeter,
): Promise<Affiliate> {
  const digest = affiliateDigest(brand, { wallet, code })
  const signature = signatureIn(signedMessage)
  const fault = await notSignedBy(wallet, digest, signature, checkSignature, meter)
  if (fault) throw badSignature(fault)
  const affiliate = { ...defaultProgramme, wallet, code, enabled: true, createdAt: new Date(now()) }
  if (await insertAffiliate(db, { ...affiliate, digest, signedMessage: signature })) return affiliate
  const taken = await findTaken(db, { wallet, code })
  if (taken.wallet)
    throw new Refusal('AffiliateWalletBound', 'Affiliate wallet address already bound to a code')
  if (taken.code) throw new Refusal('AffiliateCodeTaken', 'Affiliate code already taken')
  // Unreachable: the digest contains the wallet, which is the key. The interface requires the unique index of
  // digests.
  throw new Refusal('AffiliateExists', 'Affiliate already exists')
}

/** Parses a signature. @throws Refusal InvalidAffiliateSignature for text that is not hex */
export function signatureIn(signedMessage: string): Hex {
  const signature = toHex(signedMessage)
  if (signature === undefined) throw badSignature({ reason: 'not-hex' })
  return signature
}

/** Creates the refusal. Clients expect one message; the reason is in the data. */
function badSignature(data: { reason: string }): Refusal {
  return new Refusal('InvalidAffiliateSignature', 'Affiliate has invalid signature', {
    field: 'signedMessage',
    data,
  })
}
