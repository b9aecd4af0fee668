import { type AppDataInput, emptyAppDataDocument, zeroAppData } from '../app-data/document.ts'
import { type Address, zeroAddress } from '../evm/address.ts'
import { type Bytes32, type Hex, hexToBytes } from '../evm/hex.ts'
import { keccakText } from '../evm/keccak.ts'
import { chains } from '../network/chains.ts'
import { type Network, profiles, settlementPairs } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import type { OrderUid } from '../order/order.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import {
  domainName,
  domainSeparator,
  domainVersion,
  type EcdsaScheme,
  ethsignDigest,
  orderDigest,
  orderMembers,
  orderUid,
  personalDigest,
  signedDigest,
} from './signing.ts'
import {
  addressWord,
  type DomainFields,
  domainHash,
  structHash,
  type TypedMember,
  typedDigest,
  uintWord,
} from './typed-data.ts'

/** Retired test chains and the usual ids of local chains. */
const retiredAndLocalChainIds = [4, 5, 1337, 31337]
const otherVersions = ['v1', '1', '2', '2.0', '1.0']
const otherNames = [
  'CoW Protocol',
  'Cow Protocol',
  'CowSwap',
  'CoW Swap',
  'Gnosis Protocol v2',
  'GPv2Settlement',
]

/** Domains that clients sign with by mistake. `description` follows "signed the order". */
function* wrongDomains(
  creation: Pick<OrderCreation, 'sellToken' | 'buyToken'>,
  { chainId, settlement, vaultRelayer }: Network,
): Generator<[mistake: SignatureMistake, description: string, domain: DomainFields]> {
  const rightDomain = { name: domainName, version: domainVersion, chainId, verifyingContract: settlement }
  for (const other of [...chains.keys(), ...retiredAndLocalChainIds]) {
    if (other !== chainId) yield ['chain_id', `for chain ${other}`, { ...rightDomain, chainId: other }]
  }
  yield ['chain_id', 'without chainId in the domain', { ...rightDomain, chainId: undefined }]

  const contracts: [description: string, contract: Address][] = [
    ['the vault relayer', vaultRelayer],
    ['the zero address', zeroAddress],
    ...profiles.map((profile): [string, Address] => [
      `the settlement contract of ${profile}`,
      settlementPairs[profile].settlement,
    ]),
    ['the sell token', creation.sellToken],
    ['the buy token', creation.buyToken],
  ]
  for (const [description, verifyingContract] of contracts) {
    if (verifyingContract === settlement) continue
    yield [
      'verifying_contract',
      `with ${description} as verifyingContract`,
      { ...rightDomain, verifyingContract },
    ]
  }
  const withoutContract = { ...rightDomain, verifyingContract: undefined }
  yield ['verifying_contract', 'without verifyingContract in the domain', withoutContract]

  yield ['domain_version', 'without version in the domain', { ...rightDomain, version: undefined }]
  for (const version of otherVersions) {
    yield ['domain_version', `with version ${version} in the domain`, { ...rightDomain, version }]
  }
  yield ['domain_name', 'without name in the domain', { ...rightDomain, name: undefined }]
  for (const name of otherNames)
    yield ['domain_name', `with name ${name} in the domain`, { ...rightDomain, name }]
}

/** Members that a client signed by mistake. `description` follows "signed the order". */
type WrongMembers = [mistake: SignatureMistake, description: string, members: TypedMember[]]

/** Variants with the right types, but a value that differs from the order as sent. */
function* wrongValues(
  creation: OrderCreation,
  members: readonly TypedMember[],
  expectedSigner: Address,
): Generator<WrongMembers> {
  const withWord = (name: string, word: Hex) => changeMembers(members, [name], { word })
  yield ['receiver', 'with the zero address as receiver', withWord('receiver', addressWord(null))]
  yield ['receiver', 'with its owner as receiver', withWord('receiver', addressWord(expectedSigner))]
  for (const [description, hash] of otherHashes(creation.appData)) {
    yield ['app_data_hash', `with ${description} as appData`, withWord('appData', hash)]
  }
  const milliseconds = BigInt(creation.validTo) * 1000n
  for (const type of ['uint32', 'uint256', 'uint64']) {
    yield [
      'valid_to_milliseconds',
      `with validTo in milliseconds, as ${type}`,
      changeMembers(members, ['validTo'], { type, word: uintWord(milliseconds) }),
    ]
  }
  const truncated = withWord('validTo', uintWord(milliseconds % 2n ** 32n))
  yield ['valid_to_milliseconds', 'with validTo in milliseconds, cut to 32 bits', truncated]
  const kind = creation.kind === 'sell' ? 'buy' : 'sell'
  yield ['member_value', `with kind ${kind}`, withWord('kind', keccakText(kind))]
  yield [
    'member_value',
    `with partiallyFillable ${!creation.partiallyFillable}`,
    withWord('partiallyFillable', uintWord(creation.partiallyFillable ? 0n : 1n)),
  ]
}

function* otherHashes({ hash, document }: AppDataInput): Generator<[description: string, hash: Bytes32]> {
  yield ['32 zero bytes', zeroAppData]
  yield ['the hash of {}', keccakText(emptyAppDataDocument)]
  yield ['the hash of the hash’s text', keccakText(hash)]
  const content = document === null ? undefined : parseJson(document)
  if (content === undefined) return
  yield ['the hash of the document without blanks', keccakText(JSON.stringify(content))]
  yield ['the hash of the document with sorted keys', keccakText(JSON.stringify(content, sortKeys))]
  yield ['the hash of the document indented by 2', keccakText(JSON.stringify(content, null, 2))]
}

function parseJson(document: string): unknown {
  try {
    return JSON.parse(document)
  } catch {
    return undefined
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const amounts = ['sellAmount', 'buyAmount', 'feeAmount']
const balances = ['sellTokenBalance', 'buyTokenBalance']

/** Variants with the right values in another type. */
function* wrongTypes(creation: OrderCreation, members: readonly TypedMember[]): Generator<WrongMembers> {
  const withType = (names: string[], type: string) => changeMembers(members, names, { type })
  for (const type of ['uint128', 'uint', 'int256', 'uint112', 'uint96']) {
    yield ['amount_type', `with amounts as ${type}`, withType(amounts, type)]
  }
  yield ['amount_type', 'with feeAmount as uint128', withType(['feeAmount'], 'uint128')]
  const amountsAsText = members.map((member) =>
    amounts.includes(member.name)
      ? { ...member, type: 'string', word: keccakText(BigInt(member.word).toString()) }
      : member,
  )
  yield ['amount_type', 'with amounts as string', amountsAsText]
  for (const names of [['kind', ...balances], ['kind'], balances]) {
    yield ['word_type', `with ${joinNames(names)} as bytes32`, withType(names, 'bytes32')]
  }
  const { kind, sellTokenBalance, buyTokenBalance } = creation
  const unhashed = Object.entries({ kind, sellTokenBalance, buyTokenBalance }).reduce(
    (changed, [name, word]) => changeMembers(changed, [name], { type: 'bytes32', word: textWord(word) }),
    [...members],
  )
  yield ['word_type', 'with kind and balances as bytes32 that hold the word itself', unhashed]
  for (const type of ['uint256', 'uint64', 'uint']) {
    yield ['member_type', `with validTo as ${type}`, withType(['validTo'], type)]
  }
  for (const type of ['string', 'bytes']) {
    yield ['member_type', `with appData as ${type}`, withType(['appData'], type)]
  }
  for (const names of [...members.map(({ name }) => [name]), balances, ['feeAmount', ...balances]]) {
    const rest = members.filter(({ name }) => !names.includes(name))
    yield ['member_left_out', `without ${joinNames(names)} in the type`, rest]
  }
}

/** Variants with the right members in another order: sorted by name, or with one of them moved. */
function* wrongMemberOrders(members: readonly TypedMember[]): Generator<WrongMembers> {
  const byName = members.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  yield ['member_order', 'with the members in alphabetical order', byName]
  for (const [from, member] of members.entries()) {
    for (let to = 0; to < members.length; to++) {
      // Moving a member one place back equals moving its predecessor one place forward.
      if (to === from || to === from - 1) continue
      const others = members.toSpliced(from, 1)
      const position = to === 0 ? 'first' : `behind ${others[to - 1]?.name}`
      yield ['member_order', `with ${member.name} ${position}`, others.toSpliced(to, 0, member)]
    }
  }
}

function changeMembers(
  members: readonly TypedMember[],
  names: readonly string[],
  changes: Partial<TypedMember>,
): TypedMember[] {
  return members.map((member) => (names.includes(member.name) ? { ...member, ...changes } : member))
}

function textWord(text: string): Hex {
  return `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`
}

function joinNames(names: readonly string[]): string {
  return names.join(' and ')
}

/** A digest that a client may have signed by mistake. `description` follows "signed the order". */
interface SignedInstead {
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
  for (const [mistake, description, wrong] of memberDigests(wrongMemberOrders(members), network)) {
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
