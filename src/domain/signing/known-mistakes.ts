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

/** A digest that a client may have signed by mistake. `description` follows "signed the order". */
export interface SignedInstead {
  mistake: SignatureMistake
  description: string
  signed: Bytes32
}

/** Likeliest first. Two mistakes at once only if one of them is a wrong scheme. */
export function* signedInstead(
  order: OrderCreation,
  signingScheme: EcdsaScheme,
  owner: Address,
  network: Network,
): Generator<SignedInstead> {
  const members = orderMembers({ ...order, appData: order.appData.hash })
  const separator = domainSeparator(network)
  const digest = typedDigest(separator, structHash('Order', members))
  const otherScheme = signingScheme === 'eip712' ? 'ethsign' : 'eip712'
  const schemeNote = `as ${otherScheme}, while ${signingScheme} is declared`
  yield { mistake: 'scheme', description: schemeNote, signed: signedDigest(otherScheme, digest) }
  for (const [description, message] of personalMessages(digest, packOrderUid(digest, owner, order.validTo))) {
    const signed = personalDigest(message)
    yield { mistake: 'personal_message', description: `as a personal message of ${description}`, signed }
  }
  for (const scheme of [signingScheme, otherScheme] as const) {
    const suffix = scheme === signingScheme ? '' : ` and ${schemeNote}`
    for (const [mistake, description, wrong] of wrongDigests(order, members, owner, network)) {
      yield { mistake, description: `${description}${suffix}`, signed: signedDigest(scheme, wrong) }
    }
  }
  for (const [mistake, description, reordered] of wrongPlaces(members)) {
    const wrong = typedDigest(separator, structHash('Order', reordered))
    yield { mistake, description, signed: signedDigest(signingScheme, wrong) }
  }
}

function* wrongDigests(
  order: OrderCreation,
  members: readonly TypedMember[],
  owner: Address,
  network: Network,
): Generator<[mistake: SignatureMistake, description: string, digest: Bytes32]> {
  const struct = structHash('Order', members)
  for (const [mistake, description, domain] of wrongDomains(order, network)) {
    yield [mistake, description, typedDigest(domainHash(domain), struct)]
  }
  yield ['domain_left_out', 'without the domain', struct]
  const separator = domainSeparator(network)
  for (const wrong of [wrongValues(order, owner, members), wrongTypes(order, members)]) {
    for (const [mistake, description, changed] of wrong) {
      yield [mistake, description, typedDigest(separator, structHash('Order', changed))]
    }
  }
}

/** Messages that clients sign in place of the 32 bytes of the digest. */
function personalMessages(digest: Bytes32, uid: string): [description: string, message: Uint8Array][] {
  return [
    ['the digest’s text', Buffer.from(digest)],
    ['the digest’s text without 0x', Buffer.from(digest.slice(2))],
    ['the UID’s text', Buffer.from(uid)],
    ['the UID', Buffer.from(uid.slice(2), 'hex')],
    ['what had been prefixed already', hexToBytes(ethsignDigest(digest))],
  ]
}
