import type { RefusalCode } from '../../src/domain/errors/refusal-codes.ts'
import { numbered } from './order.ts'

/** A valid REST request. */
export const goodQuote = {
  kind: 'sell',
  sellAmountBeforeFee: '5',
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  from: numbered('0f'),
}

interface BadQuote {
  /** The changes to the valid request. */
  given: Record<string, unknown>
  /** The field that the error names. */
  field: string
  code?: RefusalCode
}

const over = `${2n ** 256n}`
const wallet = { signingScheme: 'eip1271' }
const bought = { kind: 'buy', sellAmountBeforeFee: undefined }
const exact = { sellAmountBeforeFee: undefined }

const noAmounts = {
  'a negative': '-5',
  'a fraction': '1.5',
  'an exponent': '1e3',
  hex: '0x5',
  'a sign': '+5',
  'a space': ' 5',
  nothing: '',
  'a number too long': '1'.repeat(101),
  'a JSON number': 5,
  'a list': ['5'],
  zero: '0',
}

const amounts = Object.entries(noAmounts).flatMap(([what, text]): [string, BadQuote][] => [
  [`${what} before the fee`, { given: { sellAmountBeforeFee: text }, field: 'sellAmountBeforeFee' }],
  [`${what} after the fee`, { given: { ...exact, sellAmountAfterFee: text }, field: 'sellAmountAfterFee' }],
  [`${what} to buy`, { given: { ...bought, buyAmountAfterFee: text }, field: 'buyAmountAfterFee' }],
])

const wholeNumbers = ['validTo', 'validFor', 'timeout'].flatMap((field) =>
  // A timeout may have any size.
  [...(field === 'timeout' ? [] : [2 ** 32]), -1, 1.5, '60', true, {}].map((value): [string, BadQuote] => [
    `${field} ${JSON.stringify(value)}`,
    { given: { [field]: value }, field },
  ]),
)

const gasLimits = [2 ** 53, -1, 1.5, '27000', '0x5', []].map((value): [string, BadQuote] => [
  `verificationGasLimit ${JSON.stringify(value)}`,
  { given: { ...wallet, verificationGasLimit: value }, field: 'verificationGasLimit' },
])

const words = ['kind', 'signingScheme', 'priceQuality', 'sellTokenBalance', 'buyTokenBalance']
  .flatMap((field) =>
    ['none', '', 5, null].map((value): [string, BadQuote] => [
      `${field} ${JSON.stringify(value)}`,
      { given: { [field]: value }, field },
    ]),
  )
  .filter(([, { given, field }]) => field === 'kind' || given[field] !== null)

const addresses = ['sellToken', 'buyToken', 'from', 'receiver'].flatMap((field) =>
  ['0x12', `0x${'gg'.repeat(20)}`, `0x${'11'.repeat(21)}`, '', 5].map((value): [string, BadQuote] => [
    `${field} ${JSON.stringify(value)}`,
    { given: { [field]: value }, field },
  ]),
)

/** All requests that are refused without any lookup, each with a description of its error. */
export const badQuotes: [string, BadQuote][] = [
  ...amounts,
  ...wholeNumbers,
  ...gasLimits,
  ...words,
  ...addresses,
  [
    'too much to sell',
    { given: { sellAmountBeforeFee: over }, field: 'sellAmountBeforeFee', code: 'SellAmountOverflow' },
  ],
  [
    'too much to sell after the fee',
    {
      given: { ...exact, sellAmountAfterFee: over },
      field: 'sellAmountAfterFee',
      code: 'SellAmountOverflow',
    },
  ],
  [
    'too much to buy',
    { given: { ...bought, buyAmountAfterFee: over }, field: 'buyAmountAfterFee', code: 'BuyAmountOverflow' },
  ],
  ['no amount', { given: exact, field: 'sellAmountBeforeFee' }],
  ['no amount to buy', { given: bought, field: 'buyAmountAfterFee' }],
  ['two amounts', { given: { sellAmountAfterFee: '5' }, field: 'sellAmountAfterFee' }],
  [
    'an amount of the other kind',
    { given: { kind: 'buy', buyAmountAfterFee: '5' }, field: 'sellAmountBeforeFee' },
  ],
  ['an amount to buy beside one to sell', { given: { buyAmountAfterFee: '5' }, field: 'buyAmountAfterFee' }],
  ['two expiries', { given: { validTo: 2_000_000_000, validFor: 60 }, field: 'validFor' }],
  ['a gas limit without a wallet', { given: { verificationGasLimit: 5 }, field: 'verificationGasLimit' }],
  [
    'a gas limit for a presignature',
    { given: { signingScheme: 'presign', verificationGasLimit: 0 }, field: 'verificationGasLimit' },
  ],
  ['an order on chain as a string', { given: { ...wallet, onchainOrder: 'true' }, field: 'onchainOrder' }],
  ['an order on chain as a number', { given: { ...wallet, onchainOrder: 1 }, field: 'onchainOrder' }],
  [
    'an order on chain that a key signs',
    { given: { onchainOrder: true }, field: 'onchainOrder', code: 'IncompatibleSigningScheme' },
  ],
  ['a document that is an object', { given: { appData: { metadata: {} } }, field: 'appData' }],
  ['a document that is a number', { given: { appData: 5 }, field: 'appData' }],
  ['a hash that is a number', { given: { appData: '{}', appDataHash: 5 }, field: 'appDataHash' }],
  ['a hash that is too short', { given: { appData: '{}', appDataHash: '0x12' }, field: 'appDataHash' }],
  ['a hash without its document', { given: { appDataHash: `0x${'12'.repeat(32)}` }, field: 'appDataHash' }],
  [
    'a hash of another document',
    {
      given: { appData: '{}', appDataHash: `0x${'12'.repeat(32)}` },
      field: 'appDataHash',
      code: 'AppDataHashMismatch',
    },
  ],
]
