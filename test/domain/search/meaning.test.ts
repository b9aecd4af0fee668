import { LangEn, Wallet } from 'ethers'
import { describe, expect, test } from 'vitest'
import { settingsPage } from '../../../codegen/settings-page.ts'
import { settings } from '../../../src/app/settings.ts'
import { diagnosisCodes, diagnosisTexts } from '../../../src/domain/diagnosis/code.ts'
import { errorCodes } from '../../../src/domain/errors/error-explanations.ts'
import { notificationTypes } from '../../../src/domain/notification/notification.ts'
import { orderEventLabels, orderEventTexts, standingReasons } from '../../../src/domain/order/event.ts'
import { orderStatuses, orderStatusTexts } from '../../../src/domain/order/status.ts'
import { diagnosisCodes as programmaticCodes } from '../../../src/domain/programmatic/diagnosis.ts'
import {
  generatorStatuses,
  generatorStatusTexts,
  partStatuses,
  partStatusTexts,
} from '../../../src/domain/programmatic/statuses.ts'
import { type Meaning, meaningOf } from '../../../src/domain/search/meaning.ts'
import { secretIn } from '../../../src/domain/search/secret.ts'
import { topicsIn } from '../../../src/domain/search/topics.ts'
import { screaming } from '../../../src/domain/text/spelling.ts'
import { settingsOf } from '../../../src/server/pages/browser/home/find.ts'
import { messages } from '../errors/messages.ts'

const served = settingsOf(settingsPage())
const find = (text: string) => meaningOf(text, { settings: async () => served })

/** The kind of a meaning with its subjects. */
function shown(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'secret':
      return `secret: ${meaning.secret}`
    case 'auction':
      return `auction: ${meaning.id}`
    case 'terms': {
      const names = [...meaning.errors.map(({ code }) => code), ...meaning.terms.map(({ name }) => name)]
      return `terms: ${[...new Set(names)].join(', ')}`
    }
    case 'topics':
      return `topics: ${meaning.topics.map(({ title }) => title).join(', ')}`
    case 'errors':
      return `errors: ${[meaning.foreign?.title, ...meaning.errors.map(({ code }) => code)].filter(Boolean).join(', ')}`
    case 'guess': {
      const { topics, errors } = meaning
      return `guess: ${[...topics.map(({ title }) => title), ...errors.map(({ code }) => code)].join(', ')}`
    }
    case 'tokens':
      // A name that the service may know as a token is nothing without one.
      return `tokens: ${meaning.names.join(', ')}; else ${shown(meaning.otherwise)}`
    default:
      return meaning.kind
  }
}

/** A name as people write it. */
const spellings = (name: string) => {
  const apart = name.replaceAll(/([a-z])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ')
  return [
    name,
    name.toLowerCase(),
    name.toUpperCase(),
    apart,
    apart.replaceAll(' ', '_').toUpperCase(),
    ` ${apart} `,
  ]
}

describe('a name of the service finds itself, in any spelling', () => {
  test.each([
    ['code of a diagnosis', diagnosisCodes],
    ['status', orderStatuses],
    ['event', orderEventLabels],
    ['reason of a standing', standingReasons],
    ['code of the diagnosis of a programmatic order', programmaticCodes],
    ['status of a programmatic order', generatorStatuses],
    ['status of a part', partStatuses],
    ['type of a notification', notificationTypes],
  ])('%s', async (_, names) => {
    for (const name of names)
      for (const text of [...spellings(name), ...spellings(screaming(name))]) {
        const meaning = await find(text)
        const found = meaning.kind === 'terms' ? meaning.terms.map((term) => term.name) : []
        expect([text, meaning.kind, [...new Set(found)]]).toEqual([text, 'terms', [screaming(name)]])
      }
  })

  test('error', async () => {
    for (const code of errorCodes) {
      // In two words these are the status of an answer.
      const texts =
        code === 'BadRequest' || code === 'NotFound' ? [code, code.toUpperCase()] : spellings(code)
      for (const text of texts) {
        const meaning = await find(text)
        const errors = meaning.kind === 'terms' || meaning.kind === 'errors' ? meaning.errors : []
        expect([text, errors[0]?.code]).toEqual([text, code])
      }
    }
  })

  test('setting, with the text of its reference', async () => {
    for (const [name, { description = '' }] of Object.entries(settings.shape))
      for (const text of spellings(name)) {
        const meaning = await find(text)
        const terms = meaning.kind === 'terms' ? meaning.terms : []
        expect([text, terms.at(-1)]).toMatchObject([text, { name, meaning: description }])
      }
  })

  test('with all that the word means', async () => {
    expect(await find('expired')).toEqual({
      kind: 'terms',
      terms: [
        { name: 'EXPIRED', kind: expect.stringContaining('not filled'), ...textOf('expired') },
        { name: 'EXPIRED', kind: 'Status of an order', meaning: orderStatusTexts.expired },
        { name: 'EXPIRED', kind: 'Step in the history of an order', meaning: orderEventTexts.expired },
        { name: 'EXPIRED', kind: 'Status of a programmatic order', meaning: generatorStatusTexts.expired },
        {
          name: 'EXPIRED',
          kind: 'Status of a part of a programmatic order',
          meaning: partStatusTexts.expired,
        },
      ],
      errors: [],
      topics: [expect.objectContaining({ title: 'Expiry' })],
      word: 'expired',
    })
    expect(shown(await find('NO_LIQUIDITY'))).toBe('terms: NoLiquidity, NO_LIQUIDITY')
  })
})

test('a word with another meaning may be the name of a token, unless it is a code', async () => {
  const words = await Promise.all(
    ['SAFE', 'push', 'HOOK', 'Gas', '$TRUST', 'MEV', 'OPEN', 'ready', 'gas fees', 'DUST_ORDER'].map(
      async (text) => {
        const meaning = await find(text)
        return 'word' in meaning ? [meaning.kind, meaning.word] : [meaning.kind]
      },
    ),
  )
  expect(words).toEqual([
    ['topics', 'SAFE'],
    ['topics', 'push'],
    ['topics', 'HOOK'],
    ['topics', 'Gas'],
    ['topics', 'TRUST'],
    ['topics', 'MEV'],
    ['terms', 'OPEN'],
    ['terms', 'ready'],
    ['topics'],
    ['terms'],
  ])
})

const textOf = (code: keyof typeof diagnosisTexts) => {
  const { meaning, advice } = diagnosisTexts[code]
  return { meaning, advice }
}

const nothing = 'nothing'
const guess = expect.stringMatching(/^guess: /)
const token = (...names: string[]) => `tokens: ${names.join(', ')}; else nothing`
/** A guess of one subject, unless a token has the name. */
const guessed = (subject: string, ...names: string[]) => {
  const guess = `guess: ${subject}`
  return names.length > 0 ? `tokens: ${names.join(', ')}; else ${guess}` : guess
}
const topics = (...titles: string[]) => `topics: ${titles.join(', ')}`
const [gas, fees, long, cancel] = ['Gas', 'Fees', 'How long it takes', 'Cancelling an order']

test.each([
  // Names of this service
  ['PRICE_OUT_OF_REACH', 'terms: PRICE_OUT_OF_REACH'],
  ['why is my order priceOutOfReach', 'terms: PRICE_OUT_OF_REACH'],
  [
    '{"data":{"order":{"diagnosis":{"code":"PRICE_OUT_OF_REACH","since":null}}}}',
    'terms: PRICE_OUT_OF_REACH',
  ],
  ['{"label":"FILTERED","reason":"DUST_ORDER"}', 'terms: FILTERED, DUST_ORDER'],
  ['{"errorType":"InsufficientBalance","description":"x"}', 'errors: InsufficientBalance'],
  ['rate limit reads', 'terms: RATE_LIMIT_READS'],
  ['fulfilled', 'terms: FULFILLED'],
  // Auctions
  ['auction 97', 'auction: 97'],
  ['#97', 'auction: 97'],
  ['Auction #97', 'auction: 97'],
  ['auctions', topics('Auctions')],
  // Tokens
  ['WETH', token('WETH')],
  ['weth/usdc', token('weth', 'usdc')],
  ['WETH-USDC', token('WETH', 'USDC')],
  ['sell 1.5 weth for usdc', token('weth', 'usdc')],
  ['Wrapped Ether', token('Wrapped Ether')],
  ['price of $PEPE?', token('PEPE')],
  ['bitcoin', token('bitcoin')],
  ['vitalik.eth', 'ens'],
  ['send it to vitalik.eth', 'ens'],
  // Topics
  ['slippage', topics('Slippage')],
  ['what slippage should I use?', topics('Slippage')],
  ['gas fees too high', topics(gas)],
  ['who pays the gas', topics(gas)],
  ['how much are the fees?', topics(fees)],
  ['how long does it take', topics(long)],
  ['how long does a swap usually take?', topics(long)],
  ['How do I cancel my order?', topics(cancel)],
  ['do I have to approve every time', topics('Approvals')],
  ['allowance', topics('Approvals')],
  ['minimum received', topics('Minimum received')],
  ['I got less than expected', topics('You got less than the quote said')],
  ['partially filled', topics('Partly filled orders')],
  ['why did my order expire', topics('Expiry')],
  ['limit price', topics('Limit price')],
  ['what is surplus', topics('Surplus')],
  ['twap', topics('Programmatic orders')],
  ['TWAP orders', topics('Programmatic orders')],
  ['stop loss', topics('Programmatic orders')],
  ['stop-loss order', topics('Programmatic orders')],
  ['how do I create a stop loss?', topics('Programmatic orders')],
  ['programmatic orders', topics('Programmatic orders')],
  ['conditional order', topics('Programmatic orders')],
  ['dca', topics('Programmatic orders')],
  ['MEV protection', topics('MEV and front-running')],
  ['how do I get a refund', topics('Refunds')],
  ['unwrap WETH', topics('Wrapped coins')],
  ['native coin', topics('The chain’s own coin')],
  ['where are my tokens', topics('Where your tokens are')],
  ['is it safe?', topics('Is it safe?')],
  ['fees and slippage', topics('Slippage', fees)],
  ['how to swap', topics('How trading works')],
  ['minimum order size', topics('Smallest amount')],
  ['seed phrase', topics('Is it safe?')],
  ['how do I increase slippage', topics('Slippage')],
  ['cancel order', topics(cancel)],
  ['can i change my order', topics('Changing an order')],
  ['how do i withdraw', topics('Deposits and withdrawals')],
  ['how are winners selected', topics('Scores and winners')],
  ['reference score', topics('Scores and winners')],
  ['rate limits', topics('Limits of requests')],
  ['appdata hash', topics('App data')],
  ['how do referrals work', topics('Referral codes')],
  ['settlement contract address', topics('Contracts')],
  ['is the service down', topics('State of the service')],
  ['graphql subscriptions', topics('Interfaces for programs')],
  ['how to run a solver', topics('Solvers')],
  ['cross chain swap', topics('Networks')],
  ['cancel on chain cost', topics(fees, cancel)],
  ['is it free', topics(fees)],
  ['buy amount to small', topics('Smallest amount')],
  ['waiting for signature', topics('Smart wallets')],
  // Questions about tokens
  ['is USDT supported', token('USDT')],
  ['do you support DAI', expect.stringMatching(/^tokens: DAI; /)],
  ['what is weth', token('weth')],
  ['swap 100 usdc for eth', token('usdc', 'eth')],
  ['can i trade on polygon', token('polygon')],
  // Misspelt words: a guess, after tokens of that name
  ['slipage', guessed('Slippage', 'slipage')],
  ['slipage too high', guessed('Slippage')],
  ['aproval', guessed('Approvals', 'aproval')],
  ['allowence', guessed('Approvals', 'allowence')],
  ['cancle', guessed(cancel, 'cancle')],
  ['exprired', guessed('Expiry', 'exprired')],
  ['price impct', guessed('Price impact', 'impct')],
  ['get notificatons by emial', guessed('Notifications')],
  ['insuficient balance', guessed('InsufficientBalance', 'insuficient balance')],
  ['no lquidity', guessed('NoLiquidity')],
  ['why is my oder not filled', 'question'],
  ['my ordre is stuck', 'tokens: ordre stuck; else question'],
  // Right words near those of a topic
  ['actions', guessed('Auctions', 'actions')],
  ['sender', guessed('Approvals', 'sender')],
  ['books', token('books')],
  ['older', token('older')],
  ['bond', token('bond')],
  ['tax report', token('tax report')],
  // Orders and errors
  ['my order is not filled', 'question'],
  ['swap stuck for 2 hours', 'question'],
  ['order expired', 'terms: OrderExpired, ORDER_EXPIRED'],
  ['open orders', 'topics: Lists of orders'],
  ['filled orders', 'topics: Lists of orders'],
  ['can i swap btc here', token('btc')],
  ['User rejected the request', 'errors: Rejected in the wallet'],
  ['my wallet says insufficient allowance', 'errors: InsufficientAllowance'],
  ['no route found', 'errors: NoLiquidity'],
  ['this token is not supported', expect.stringContaining('errors: UnsupportedToken')],
  // Too little to tell
  ['token not found', guess],
  // Nothing of this service
  ['hello', token('hello')],
  ['test', token('test')],
  ['thank you', nothing],
  ['asdfghjkl', token('asdfghjkl')],
  ['où est mon ordre', nothing],
  ['wie lange dauert der Tausch', nothing],
  ['注文はどこですか', expect.stringMatching(/^nothing$|else nothing$/)],
  ['why is the sky blue and the sea green', nothing],
  ['I want to trade my car for a boat', nothing],
  ['the code of my door lock does not end in the time it should', nothing],
  ['I lost access to my email address and the confirmation link is too old', nothing],
  ['there is no way to know what time it is now', nothing],
  ['lorem ipsum dolor sit amet', nothing],
  ['SELECT * FROM orders; DROP TABLE orders', nothing],
  ['!!!', nothing],
  ['0', nothing],
])('%s: %s', async (text, expected) => {
  expect(shown(await find(text))).toEqual(expected)
})

test('names of chains come with the topic of networks, which the pages show below the tokens', async () => {
  expect(await find('is arbitrum supported')).toMatchObject({
    kind: 'tokens',
    names: ['arbitrum'],
    topics: [{ title: 'Networks' }],
  })
})

test('each topic is found by its title, and says something', () => {
  const words = [
    'slippage',
    'fees',
    'mev',
    'support',
    'hooks',
    'receiver',
    'solver',
    'price impact',
    'telegram',
  ]
  for (const word of words) {
    const { topics, isGuess } = topicsIn(word)
    expect([word, isGuess, topics.length]).toEqual([word, false, 1])
    for (const topic of topics) {
      expect(topicsIn(topic.title)).toEqual({ topics: [topic], isGuess: false })
      expect(topic.text).toMatch(/^.{60,600}\.$/)
    }
  }
})

const list = LangEn.wordlist()
const wordOf = (index: number) => list.getWord(index % 2_048)

/** Words as lists, quoted, parted by signs, and next to other words. */
const listed = (words: readonly string[]) => [
  ...['#) ', '#: ', '(#) ', '[#] ', '#=', '#', 'word # ', 'Word#: ', '- ', '* ', '• '].map((mark) =>
    words.map((word, index) => mark.replace('#', String(index + 1)) + word).join(' '),
  ),
  words.map((word, index) => `#${index + 1} ${word}`).join('\n'),
  JSON.stringify(words),
  words.map((word) => `'${word}'`).join(' '),
  `“${words.join(' ')}”`,
  ...[';', ' ; ', '|', ' | ', '/', ' / ', ' — '].map((sign) => words.join(sign)),
  `help ${words.join(' ')}`,
  `${words.join(' ')} thanks`,
  `lost ${words.join(' ')} please`,
  `my backup: ${words.join(' ')}`,
]

describe('a secret', () => {
  test('is a recovery phrase of any length, in any spelling', () => {
    for (const length of [12, 15, 18, 21, 24])
      for (let seed = 0; seed < 400; seed++) {
        const words = Array.from({ length }, (_, index) =>
          wordOf(seed * 997 + index * 1_301 + seed * index * 7),
        )
        for (const text of [
          words.join(' '),
          words.join(', '),
          words.map((word, index) => `${index + 1}. ${word.toUpperCase()}`).join('\n'),
          `my seed phrase is: ${words.join(' ')}`,
          ...listed(words),
        ])
          expect([text, secretIn(text)]).toEqual([text, 'phrase'])
      }
    expect(secretIn(Wallet.createRandom().mnemonic?.phrase ?? '')).toBe('phrase')
  })

  const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'
  test.each([
    [key, 'key'],
    [`my key ${key.toUpperCase()}`, 'key'],
    [`private key: 0x${key}`, 'key'],
    [`{"privateKey":"0x${key}"}`, 'key'],
    [`0x${key}`, undefined],
    [`transaction 0x${key}`, undefined],
    [`0x${key}${key.slice(0, 48)}`, undefined],
    [`${'0'.repeat(24)}${key.slice(0, 40)}`, undefined],
  ])('%s: %s', (text, secret) => {
    expect(secretIn(text)).toBe(secret)
  })

  test('is no question and no error', () => {
    const questions = [
      ...messages.flatMap(([, message]) => [message, message.toUpperCase()]),
      ...Object.values(diagnosisTexts).flatMap(({ meaning, advice }) => [meaning, advice]),
      ...Object.values(settings.shape).map(({ description = '' }) => description),
      'please help me order still pending after three hours wallet shows nothing',
      'swap failed again today metamask shows error gas price too low what now',
      'bought pepe token yesterday but balance still shows zero where did it go',
    ]
    expect(questions.filter((text) => secretIn(text))).toEqual([])
  })
})
