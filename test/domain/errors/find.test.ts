import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorCodes, explained, traderExplanations } from '../../../src/domain/errors/error-explanations.ts'
import { findErrors } from '../../../src/domain/errors/find-errors.ts'
import { messages } from './messages.ts'

const codesOf = (text: string, isBeside = false) => findErrors(text, isBeside).errors.map(({ code }) => code)
const isGuess = (text: string) => findErrors(text).isGuess
const account = `0x${'ab12'.repeat(10)}`
const filled = (message: string) => message.replaceAll('{}', '123000000000000')

describe('the text of an error', () => {
  test.each(messages)('%s: %s', (code, message) => {
    const text = filled(message)
    const inMail = `Sorry, something went wrong in your wallet app: ${text}. Please contact support.`
    expect(codesOf(text)[0]).toBe(code)
    expect(codesOf(message.replaceAll('{}', account))[0]).toBe(code)
    expect(codesOf(inMail)[0]).toBe(code)
    expect(codesOf(JSON.stringify({ errorType: code, description: text }))[0]).toBe(code)
    for (const other of [text.toUpperCase(), text.toLowerCase()]) expect(codesOf(other)).toContain(code)
  })

  test('is that of one error alone, where a trader can do something about it', () => {
    const several = messages
      .filter(([code]) => code in traderExplanations)
      .flatMap(([code, message]) =>
        [filled(message), `${filled(message)}. Please contact support.`, filled(message).toUpperCase()].map(
          (text) => [code, message, codesOf(text).filter((found) => found !== code)] as const,
        ),
      )
      .filter(([, , others]) => others.length > 0)
    expect([...new Set(several.map(([, message, others]) => `${message}: ${others}`))]).toEqual([
      'Order was not found: QuoteNotFound',
    ])
  })

  test('is found by its first half, where that says anything', () => {
    const halves = messages.map(([code, message]) => [
      code,
      message.slice(0, message.indexOf(' ', message.length / 2)),
    ])
    const missed = halves.filter(
      ([code = '', half = '']) => !codesOf(filled(half)).some((found) => found === code),
    )
    expect(missed.map(([, half]) => half)).toEqual([
      'validTo must be',
      'sellAmount + feeAmount',
      '{} may not',
      'there is no',
      'Order was',
      'send the token of a session of this',
      'the body must be a JSON',
    ])
  })

  test('is looked for under every code, and stands in the sources', () => {
    const shown = new Set(messages.map(([code]) => code))
    // Solvers say the first three in their own words; the others are said in the words of other errors.
    const unsaid = errorCodes.filter((code) => !shown.has(code))
    expect(unsaid).toEqual([
      'TradingOutsideAllowedWindow',
      'TokenTemporarilySuspended',
      'InsufficientLiquidity',
      'BadRequest',
      'LIMIT_OUT_OF_BOUNDS',
    ])
    const root = path.join(import.meta.dirname, '..', '..', '..', 'src')
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter(
        (file) => file.endsWith('.ts') && !file.includes('generated') && !file.startsWith('domain/errors/'),
      )
      .map((file) => readFileSync(path.join(root, file), 'utf8'))
      .join('\n')
    // Messages are put together of a few pieces, such as the name of a field and its fault.
    const isSaid = (text: string, pieces = 3): boolean =>
      sources.includes(text) ||
      (pieces > 1 &&
        text.split(' ').some((_, at, words) => {
          const [head, rest] = [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')]
          return sources.includes(head) && rest !== '' && isSaid(rest, pieces - 1)
        }))
    const gone = messages.filter(([, message]) => !message.split('{}').every((part) => isSaid(part.trim())))
    expect(gone.map(([, message]) => message)).toEqual([])
  })
})

test.each(errorCodes)('%s is found by its name, and is explained', (code) => {
  for (const name of [code, code.toLowerCase(), `"${code}"`]) expect(codesOf(name)[0]).toBe(code)
  // In two words these are the status of an answer, whose code may be another.
  if (code !== 'BadRequest' && code !== 'NotFound')
    expect(codesOf(code.replaceAll(/([a-z])(?=[A-Z])/g, '$1 '))[0]).toBe(code)
  const { meaning, advice, outcome } = explained(code)
  for (const text of [meaning, advice, outcome]) expect(text).toMatch(/^.{10,}\.$/)
  expect(`${meaning} ${advice}`).not.toMatch(
    advice.includes('program that sent') ? /^$/ : /`|\bdata\b|\bowner\b|Amount\b/,
  )
})

test.each([
  ['allowance too low', 'InsufficientAllowance'],
  ['not enough funds', 'InsufficientBalance'],
  ['ERC20: insufficient allowance', 'InsufficientAllowance'],
  ['order expired', 'OrderExpired'],
  ['too many requests', 'RateLimited'],
  ['already cancelled', 'AlreadyCancelled'],
  ['execution reverted: ERC20: transfer amount exceeds allowance', 'InsufficientAllowance'],
  ['ERC20: transfer amount exceeds balance', 'InsufficientBalance'],
  ['fee exceeds from amount', 'SellAmountDoesNotCoverFee'],
  ['execution reverted: ERC20: transfer amount exceeds balance', 'InsufficientBalance'],
])('%s, in other words, is %s', (text, code) => {
  const codes = codesOf(text)
  expect(codes[0]).toBe(code)
  expect(codes.length).toBeLessThanOrEqual(5)
})

test('a text of a few words is a guess, and that of an error is none', () => {
  for (const text of [
    'slippage',
    'price too low',
    'what is a solver',
    'how long does it take',
    'cancel order',
  ])
    expect([text, isGuess(text)]).toEqual([text, true])
  expect(messages.filter(([, message]) => isGuess(filled(message)))).toEqual([])
  expect(errorCodes.filter((code) => isGuess(code))).toEqual([])
})

test('few words that several errors share are all of them', () => {
  expect(codesOf('signature recovers to')).toEqual(['InvalidSignature', 'WrongOwner'])
  expect(codesOf('wrong signature')).toContain('InvalidEip1271Signature')
})

test.each([
  '',
  'hello',
  'order',
  'the weather is nice today',
  'What is the price of ETH?',
  'My order is not filled, why?',
  'I want to buy a house with a large garden near the sea',
  'Sell 1 WETH for 3000 USDC',
  'Dear account holder, please confirm your message and send the code',
  'https://app.example.org/#/1/swap/WETH/USDC',
])('%s is no error', (text) => {
  expect(codesOf(text)).toEqual([])
})

test.each([
  [`https://example.org/orders/0x${'12'.repeat(56)}`, undefined],
  [`Order 0x${'12'.repeat(56)} of account ${account}`, undefined],
  [`my order 0x${'12'.repeat(56)} is not filled`, undefined],
  [`an order with this UID exists already 0x${'12'.repeat(56)}`, 'DuplicatedOrder'],
  [`DuplicatedOrder: {"uid":"0x${'12'.repeat(56)}"}`, 'DuplicatedOrder'],
  [`${account} may not trade here`, 'Forbidden'],
  [`${account} is not traded here`, 'UnsupportedToken'],
])('%s, beside what it names, is %s', (text, code) => {
  expect(codesOf(text, true)[0]).toBe(code)
})
