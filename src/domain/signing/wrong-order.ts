import { type AppDataInput, emptyAppDataDocument, zeroAppData } from '../app-data/document.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import { keccakText } from '../evm/keccak.ts'
import type { OrderCreation } from '../order/creation.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import { addressWord, type TypedMember, uintWord } from './typed-data.ts'

/** Members that a client signed by mistake. `what` follows "signed the order". */
export type WrongMembers = [mistake: SignatureMistake, what: string, members: TypedMember[]]

/** The right type with another value than the one that is sent. */
export function* wrongValues(
  order: OrderCreation,
  owner: Address,
  members: readonly TypedMember[],
): Generator<WrongMembers> {
  const valued = (name: string, word: Hex) => change(members, [name], { word })
  yield ['receiver', 'with the zero address as receiver', valued('receiver', addressWord(null))]
  yield ['receiver', 'with its owner as receiver', valued('receiver', addressWord(owner))]
  for (const [what, hash] of otherHashes(order.appData)) {
    yield ['app_data_hash', `with ${what} as appData`, valued('appData', hash)]
  }
  const milliseconds = BigInt(order.validTo) * 1000n
  for (const type of ['uint32', 'uint256', 'uint64']) {
    const late = change(members, ['validTo'], { type, word: uintWord(milliseconds) })
    yield ['valid_to_milliseconds', `with validTo in milliseconds, as ${type}`, late]
  }
  const cut = valued('validTo', uintWord(milliseconds % 2n ** 32n))
  yield ['valid_to_milliseconds', 'with validTo in milliseconds, cut to 32 bits', cut]
  const kind = order.kind === 'sell' ? 'buy' : 'sell'
  yield ['member_value', `with kind ${kind}`, valued('kind', keccakText(kind))]
  const partially = !order.partiallyFillable
  const flag = valued('partiallyFillable', uintWord(partially ? 1n : 0n))
  yield ['member_value', `with partiallyFillable ${partially}`, flag]
}

function* otherHashes({ hash, document }: AppDataInput): Generator<[what: string, hash: Bytes32]> {
  yield ['32 zero bytes', zeroAppData]
  yield ['the hash of {}', keccakText(emptyAppDataDocument)]
  yield ['the hash of the hash’s text', keccakText(hash)]
  const content = document === null ? undefined : parse(document)
  if (content === undefined) return
  yield ['the hash of the document without blanks', keccakText(JSON.stringify(content))]
  yield ['the hash of the document with sorted keys', keccakText(JSON.stringify(content, sortKeys))]
  yield ['the hash of the document indented by 2', keccakText(JSON.stringify(content, null, 2))]
}

function parse(document: string): unknown {
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

/** The right values in another type. */
export function* wrongTypes(order: OrderCreation, members: readonly TypedMember[]): Generator<WrongMembers> {
  const typed = (names: string[], type: string) => change(members, names, { type })
  for (const type of ['uint128', 'uint', 'int256', 'uint112', 'uint96']) {
    yield ['amount_type', `with amounts as ${type}`, typed(amounts, type)]
  }
  yield ['amount_type', 'with feeAmount as uint128', typed(['feeAmount'], 'uint128')]
  const texts = members.map((member) =>
    amounts.includes(member.name)
      ? { ...member, type: 'string', word: keccakText(BigInt(member.word).toString()) }
      : member,
  )
  yield ['amount_type', 'with amounts as string', texts]
  for (const names of [['kind', ...balances], ['kind'], balances]) {
    yield ['word_type', `with ${list(names)} as bytes32`, typed(names, 'bytes32')]
  }
  const { kind, sellTokenBalance, buyTokenBalance } = order
  const plain = Object.entries({ kind, sellTokenBalance, buyTokenBalance }).reduce(
    (changed, [name, word]) => change(changed, [name], { type: 'bytes32', word: textWord(word) }),
    [...members],
  )
  yield ['word_type', 'with kind and balances as bytes32 that hold the word itself', plain]
  for (const type of ['uint256', 'uint64', 'uint']) {
    yield ['member_type', `with validTo as ${type}`, typed(['validTo'], type)]
  }
  for (const type of ['string', 'bytes']) {
    yield ['member_type', `with appData as ${type}`, typed(['appData'], type)]
  }
  for (const names of [...members.map(({ name }) => [name]), balances, ['feeAmount', ...balances]]) {
    const rest = members.filter(({ name }) => !names.includes(name))
    yield ['member_left_out', `without ${list(names)} in the type`, rest]
  }
}

/** The right members in another order: by name, or one of them somewhere else. */
export function* wrongPlaces(members: readonly TypedMember[]): Generator<WrongMembers> {
  const byName = members.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  yield ['member_order', 'with the members in alphabetical order', byName]
  for (const [from, moved] of members.entries()) {
    for (let to = 0; to < members.length; to++) {
      // One step back is the step forward of the member before.
      if (to === from || to === from - 1) continue
      const others = members.toSpliced(from, 1)
      const place = to === 0 ? 'first' : `behind ${others[to - 1]?.name}`
      yield ['member_order', `with ${moved.name} ${place}`, others.toSpliced(to, 0, moved)]
    }
  }
}

function change(
  members: readonly TypedMember[],
  names: readonly string[],
  changes: Partial<TypedMember>,
): TypedMember[] {
  return members.map((member) => (names.includes(member.name) ? { ...member, ...changes } : member))
}

function textWord(text: string): Hex {
  return `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`
}

function list(names: readonly string[]): string {
  return names.join(' and ')
}
