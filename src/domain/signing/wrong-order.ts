import { type AppDataInput, emptyAppDataDocument, zeroAppData } from '../app-data/document.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import { keccakText } from '../evm/keccak.ts'
import type { OrderCreation } from '../order/creation.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import { addressWord, type TypedMember, uintWord } from './typed-data.ts'

/** Members that a client signed by mistake. `description` follows "signed the order". */
export type WrongMembers = [mistake: SignatureMistake, description: string, members: TypedMember[]]

/** Variants with the right types, but a value that differs from the order as sent. */
export function* wrongValues(
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
export function* wrongTypes(
  creation: OrderCreation,
  members: readonly TypedMember[],
): Generator<WrongMembers> {
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
export function* wrongPlaces(members: readonly TypedMember[]): Generator<WrongMembers> {
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
