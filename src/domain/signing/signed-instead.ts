import type { Address } from '../evm/address.ts'
import { type Bytes32, hexToBytes } from '../evm/hex.ts'
import type { Network } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import { packOrderUid } from '../order/uid.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import {
  domainSeparator,
  type EcdsaScheme,
  ethsignDigest,
  orderMembers,
  personalDigest,
  signedDigest,
} from './signing.ts'
import { domainHash, structHash, type TypedMember, typedDigest } from './typed-data.ts'
import { wrongDomains } from './wrong-domain.ts'
import { wrongPlaces, wrongTypes, wrongValues } from './wrong-order.ts'

/** What a client may have signed in an order's place. `what` follows "signed the order". */
export interface SignedInstead {
  mistake: SignatureMistake
  what: string
  signed: Bytes32
}

/** Of two mistakes at once only a wrong scheme beside another one. The likeliest come first. */
export function* signedInstead(
  order: OrderCreation,
  declared: EcdsaScheme,
  owner: Address,
  network: Network,
): Generator<SignedInstead> {
  const members = orderMembers({ ...order, appData: order.appData.hash })
  const separator = domainSeparator(network)
  const digest = typedDigest(separator, structHash('Order', members))
  const other = declared === 'eip712' ? 'ethsign' : 'eip712'
  const otherwise = `as ${other}, while ${declared} is declared`
  yield { mistake: 'scheme', what: otherwise, signed: signedDigest(other, digest) }
  for (const [what, message] of messages(digest, packOrderUid(digest, owner, order.validTo))) {
    const signed = personalDigest(message)
    yield { mistake: 'personal_message', what: `as a personal message of ${what}`, signed }
  }
  for (const scheme of [declared, other] as const) {
    const how = scheme === declared ? '' : ` and ${otherwise}`
    for (const [mistake, what, wrong] of wrongDigests(order, members, owner, network)) {
      yield { mistake, what: `${what}${how}`, signed: signedDigest(scheme, wrong) }
    }
  }
  for (const [mistake, what, moved] of wrongPlaces(members)) {
    const wrong = typedDigest(separator, structHash('Order', moved))
    yield { mistake, what, signed: signedDigest(declared, wrong) }
  }
}

function* wrongDigests(
  order: OrderCreation,
  members: readonly TypedMember[],
  owner: Address,
  network: Network,
): Generator<[mistake: SignatureMistake, what: string, digest: Bytes32]> {
  const struct = structHash('Order', members)
  for (const [mistake, what, domain] of wrongDomains(order, network)) {
    yield [mistake, what, typedDigest(domainHash(domain), struct)]
  }
  yield ['domain_left_out', 'without the domain', struct]
  const separator = domainSeparator(network)
  for (const wrong of [wrongValues(order, owner, members), wrongTypes(order, members)]) {
    for (const [mistake, what, changed] of wrong) {
      yield [mistake, what, typedDigest(separator, structHash('Order', changed))]
    }
  }
}

/** What wallets are asked to sign as a message where it should be the 32 bytes of the digest. */
function messages(digest: Bytes32, uid: string): [what: string, message: Uint8Array][] {
  return [
    ['the digest’s text', Buffer.from(digest)],
    ['the digest’s text without 0x', Buffer.from(digest.slice(2))],
    ['the UID’s text', Buffer.from(uid)],
    ['the UID', Buffer.from(uid.slice(2), 'hex')],
    ['what had been prefixed already', hexToBytes(ethsignDigest(digest))],
  ]
}
