import {
  address,
  bytes32,
  type Described,
  type DescribedField,
  described,
  digits,
  flag,
  hex,
  token,
  uint32,
  uint256,
  type ValueOf,
} from '../described.ts'
import { encodeBytes, encodeTuple, type TupleMember, word } from '../evm/abi.ts'
import { type AbiTuple, readAbi } from '../evm/abi-reader.ts'
import type { Hex } from '../evm/hex.ts'
import { type HandlerType, handlerType, type KnownHandlerType } from './handlers.ts'
import { type ConditionalOrderParams, maxInputSize } from './params.ts'

const sellToken = token('The token that it sells.')
const buyToken = token('The token that it buys.')
const receiver = address('The recipient of the buy tokens; the zero address means the owner.')
const appData = bytes32('The hash of the document of each order.')
const isPartial = flag('True if an order may be filled in parts.')
const validTo = uint32('The end in Unix seconds.')
const bucket = uint32(
  'The length in seconds of the times that divide the orders: an order ends with its time.',
)

/**
 * The static inputs of known handlers. The members of each have the order and, by their types, the encoding
 * of the handler's struct.
 */
export const staticInputs = {
  TWAP: described('TwapInput', 'The terms of an order that is traded in parts of equal size over time.', {
    sellToken,
    buyToken,
    receiver,
    partSellAmount: uint256('The sell amount of each part, in atoms.'),
    minPartLimit: uint256('The minimum buy amount of each part, in atoms.'),
    t0: uint256('The start in Unix seconds; 0 means that the cabinet holds it.'),
    n: uint256('The number of parts.'),
    t: uint256('The seconds from the start of a part to the start of the next.'),
    span: uint256('The seconds for which each part can be traded; 0 means until the next part.'),
    appData,
  }),
  StopLoss: described('StopLossInput', 'The terms of an order that trades once a price has fallen.', {
    sellToken,
    buyToken,
    sellAmount: uint256('The amount to sell, in atoms; the maximum where the buy amount is fixed.'),
    buyAmount: uint256('The buy amount, in atoms; for a sell order its minimum.'),
    appData,
    receiver,
    isSellOrder: flag('True if the sell amount is fixed.'),
    isPartiallyFillable: isPartial,
    validTo,
    sellTokenPriceOracle: address('The oracle of the sell token’s price.'),
    buyTokenPriceOracle: address('The oracle of the buy token’s price.'),
    strike: digits(
      'The price of the sell token in buy tokens, with 18 decimals, at or below which it trades. It may be negative.',
    ),
    maxTimeSinceLastOracleUpdate: uint256('The maximum age of a price, in seconds.'),
  }),
  GoodAfterTime: described('GoodAfterTimeInput', 'The terms of an order that trades after a time.', {
    sellToken,
    buyToken,
    receiver,
    sellAmount: uint256('The amount to sell, in atoms.'),
    minSellBalance: uint256('The balance in atoms below which it does not trade.'),
    startTime: uint256('The start in Unix seconds.'),
    endTime: uint256('The last second in which it can trade, as Unix time.'),
    allowPartialFill: isPartial,
    priceCheckerPayload: hex('The price checker with its arguments and slippage; empty if there is none.'),
    appData,
  }),
  TradeAboveThreshold: described(
    'TradeAboveThresholdInput',
    'The terms of orders that sell the whole balance once it reaches a threshold.',
    {
      sellToken,
      buyToken,
      receiver,
      validityBucketSeconds: bucket,
      threshold: uint256('The balance in atoms at or above which it trades.'),
      appData,
    },
  ),
  PerpetualSwap: described(
    'PerpetualSwapInput',
    'The terms of orders that sell the larger balance of two tokens of equal worth.',
    {
      tokenA: token('One of the tokens.'),
      tokenB: token('The second of the tokens.'),
      validityBucketSeconds: bucket,
      halfSpreadBps: uint256('What each trade must yield beyond equal worth, in basis points.'),
      appData,
    },
  ),
  CirclesBackingOrder: described(
    'CirclesBackingInput',
    'The terms of an order whose sell token and amount are constants of its handler.',
    {
      buyToken,
      buyAmount: uint256('The amount to buy at least, in atoms.'),
      validTo,
      appData,
    },
  ),
  SwapOrderHandler: described('SwapOrderInput', 'The terms of orders that sell the whole balance.', {
    sellToken,
    buyToken,
    receiver,
    validityPeriod: uint32('The seconds for which an order can be traded.'),
    appData,
  }),
  ERC4626CowSwapFeeBurner: described('FeeBurnerInput', 'The token that a burner of fees sells.', {
    tokenIn: token('The token that is sold.'),
  }),
} satisfies Partial<Record<KnownHandlerType, Described>>

/** A handler whose static input is decoded. */
export type DecodedType = keyof typeof staticInputs
export type StaticInput<Type extends DecodedType> = ValueOf<(typeof staticInputs)[Type]>
export type TwapInput = StaticInput<'TWAP'>

interface MemberCodec<Value> {
  read(tuple: AbiTuple): Value
  write(value: Value): TupleMember
}
const codec = <Value>(
  read: MemberCodec<Value>['read'],
  write: MemberCodec<Value>['write'],
): MemberCodec<unknown> => ({ read, write })

const addressCodec = codec((tuple) => tuple.address(), word)

/** How a member of each type is encoded. */
const codecs: Readonly<Record<string, MemberCodec<unknown>>> = {
  Token: addressCodec,
  Address: addressCodec,
  Bytes32: codec(
    (tuple) => tuple.bytes32(),
    (value) => value.slice(2),
  ),
  Uint256: codec((tuple) => tuple.uint(), word),
  Uint32: codec(
    (tuple) => Number(tuple.uint(32)),
    (value) => word(BigInt(value)),
  ),
  Boolean: codec(
    (tuple) => tuple.flag(),
    (value) => word(value ? 1n : 0n),
  ),
  String: codec(
    (tuple) => tuple.int256(),
    (value) => word(BigInt.asUintN(256, value)),
  ),
  Hex: codec(
    (tuple) => tuple.bytes(maxInputSize),
    (value) => ({ dynamic: encodeBytes(value) }),
  ),
}

const membersOf = (type: DecodedType) =>
  Object.entries<DescribedField>(staticInputs[type].fields).map(([name, { type }]) => {
    const found = codecs[String(type)]
    if (!found) throw new TypeError(`no encoding for ${name}`)
    return { name, isDynamic: type === 'Hex', ...found }
  })

/** @returns undefined if the bytes are too short, or a member is out of its range. Longer input decodes. */
export function decodeStaticInput<Type extends DecodedType>(
  type: Type,
  staticInput: Hex,
): StaticInput<Type> | undefined {
  const members = membersOf(type)
  const readMembers = (tuple: AbiTuple) =>
    Object.fromEntries(members.map(({ name, read }) => [name, read(tuple)])) as unknown as StaticInput<Type>
  const isDynamic = members.some((member) => member.isDynamic)
  return readAbi(staticInput, (outer) => (isDynamic ? outer.tuple(readMembers) : readMembers(outer)))
}

export function encodeStaticInput<Type extends DecodedType>(type: Type, input: StaticInput<Type>): Hex {
  const members = membersOf(type)
  const values = input as Readonly<Record<string, unknown>>
  const encoded = encodeTuple(members.map(({ name, write }) => write(values[name])))
  const isDynamic = members.some((member) => member.isDynamic)
  return `0x${isDynamic ? encodeTuple([{ dynamic: encoded }]) : encoded}`
}

/** The decoded static input of any handler. */
export type DecodedInput =
  | { [Type in DecodedType]: { type: Type; input: StaticInput<Type> } }[DecodedType]
  /** A handler that is unknown, or whose encoding is. */
  | { type: Exclude<HandlerType, DecodedType>; input: null }
  /** Bytes that the handler cannot decode either: it reverts without data. */
  | { type: DecodedType; input: null; decodeError: 'invalid_static_input' }

export function decodeInput(
  chainId: number,
  { handler, staticInput }: Pick<ConditionalOrderParams, 'handler' | 'staticInput'>,
): DecodedInput {
  const type = handlerType(chainId, handler)
  if (!isDecoded(type)) return { type, input: null }
  const input = decodeStaticInput(type, staticInput)
  if (!input) return { type, input: null, decodeError: 'invalid_static_input' }
  return { type, input } as DecodedInput
}

const isDecoded = (type: HandlerType): type is DecodedType => type in staticInputs
