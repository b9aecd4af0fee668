import type { Address } from '../evm/address.ts'
import { type Bytes32, hexToBytes } from '../evm/hex.ts'
import type { Network } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import type { OrderUid } from '../order/uid.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import {
  domainSeparator,
  type EcdsaScheme,
  ethsignDigest,
  orderDigest,
  orderMembers,
  orderUid,
  personalDigest,
  signedDigest,
} from './signing.ts'
import { domainHash, structHash, type TypedMember, typedDigest } from './typed-data.ts'
import { wrongDomains } from './wrong-domain.ts'
import { type WrongMembers, wrongPlaces, wrongTypes, wrongValues } from './wrong-order.ts'

/** A digest that a client may have signed by mistake. `description` follows "signed the order". */
export interface SignedInstead {
  mistake: SignatureMistake
  description: string
  signed: Bytes32
}

/** The candidates, likeliest first. Two mistakes are combined only if one of them is a wrong scheme. */
export function* signedInstead(
  creation: OrderCreation,
  signingScheme: EcdsaScheme,
  expectedSigner: Address,
  network: Network,
): Generator<SignedInstead> {
  const order = { ...creation, appData: creation.appData.hash }
  const digest = orderDigest(network, order)
  const members = orderMembers(order)
  const otherScheme = signingScheme === 'eip712' ? 'ethsign' : 'eip712'
  const asOther = `as ${otherScheme}, while ${signingScheme} is declared`
  yield { mistake: 'scheme', description: asOther, signed: signedDigest(otherScheme, digest) }
  for (const [description, message] of personalMessages(digest, orderUid(network, order, expectedSigner))) {
    const signed = personalDigest(message)
    yield { mistake: 'personal_message', description: `as a personal message of ${description}`, signed }
  }
  for (const [mistake, description, wrong] of wrongDigests(creation, members, expectedSigner, network)) {
    yield { mistake, description, signed: signedDigest(signingScheme, wrong) }
  }
  for (const [mistake, description, wrong] of wrongDigests(creation, members, expectedSigner, network)) {
    yield { mistake, description: `${description} and ${asOther}`, signed: signedDigest(otherScheme, wrong) }
  }
  for (const [mistake, description, wrong] of memberDigests(wrongPlaces(members), network)) {
    yield { mistake, description, signed: signedDigest(signingScheme, wrong) }
  }
}

type WrongDigest = [mistake: SignatureMistake, description: string, digest: Bytes32]

function* wrongDigests(
  creation: OrderCreation,
  members: readonly TypedMember[],
  expectedSigner: Address,
  network: Network,
): Generator<WrongDigest> {
  const struct = structHash('Order', members)
  for (const [mistake, description, domain] of wrongDomains(creation, network)) {
    yield [mistake, description, typedDigest(domainHash(domain), struct)]
  }
  yield ['domain_left_out', 'without the domain', struct]
  yield* memberDigests(wrongValues(creation, members, expectedSigner), network)
  yield* memberDigests(wrongTypes(creation, members), network)
}

function* memberDigests(wrongMembers: Iterable<WrongMembers>, network: Network): Generator<WrongDigest> {
  for (const [mistake, description, members] of wrongMembers) {
    yield [mistake, description, typedDigest(domainSeparator(network), structHash('Order', members))]
  }
}

/** Messages that clients sign instead of the 32 bytes of the digest. */
function personalMessages(digest: Bytes32, uid: OrderUid): [description: string, message: Uint8Array][] {
  return [
    ['the digest’s text', Buffer.from(digest)],
    ['the digest’s text without 0x', Buffer.from(digest.slice(2))],
    ['the UID’s text', Buffer.from(uid)],
    ['the UID', Buffer.from(uid.slice(2), 'hex')],
    ['what had been prefixed already', hexToBytes(ethsignDigest(digest))],
  ]
}
