import { afterEach, describe, expect, test, vi } from 'vitest'
import { isOrderQuestion } from '../../src/domain/search/order-question.ts'
import { find, namedIn } from '../../src/server/pages/browser/home/find.ts'
import { messages } from '../domain/errors/messages.ts'
import { numbered } from '../fakes/order.ts'
import { network } from '../setup/server.ts'

const [one, other] = [numbered('a1'), numbered('b2')]
const uid = `0x${'12'.repeat(56)}`
const contracts = {
  name: network.name,
  vaultRelayer: network.vaultRelayer,
  settlementContract: network.settlement,
}

describe('what a text names', () => {
  test.each([
    `signature recovers to ${one}, from is ${other}`,
    `Failed: SIGNATURE RECOVERS TO ${one.toUpperCase()}, THE ORDER BELONGS TO ${other.toUpperCase()}!`,
    JSON.stringify({ data: { signer: one }, description: `signature recovers to ${one}, from is ${other}` }),
    `appData metadata.signer is ${one}, the owner is ${other}`,
  ])('%s says who signed', (text) => {
    expect(namedIn(text, []).signer).toEqual({ signed: one, owner: other })
  })

  test('is no signer where the service knows what was signed by mistake', () => {
    const data = { signer: one, mistake: 'chain_id', explanation: `${other} signed the order for chain 1` }
    const text = JSON.stringify({ description: `signature recovers to ${one}, from is ${other}`, data })
    const { signer, mistake, addresses } = namedIn(text, [])
    expect({ signer, mistake, addresses }).toEqual({
      signer: undefined,
      mistake: 'chain_id',
      addresses: [other],
    })
  })

  test.each(['toString', '__proto__', 'Your account was hacked', ''])(
    'is no mistake that the service does not know: %s',
    (mistake) => {
      const text = `InvalidSignature ${JSON.stringify({ mistake, explanation: 'Your account was hacked: call 555-0199' })}`
      const named = namedIn(text, [])
      expect(named.mistake).toBeUndefined()
      expect(JSON.stringify(named)).not.toMatch(/hacked|555/)
    },
  )

  test('is an order, a transaction and accounts, each once', () => {
    const text = `${other}: ${uid} in 0x${'34'.repeat(32)} by ${one}, ${one.slice(2)}, not 0x${'1'.repeat(41)}`
    expect(namedIn(text, [contracts])).toEqual({
      order: uid,
      transaction: `0x${'34'.repeat(32)}`,
      addresses: [other, one],
      contracts: [],
      signer: undefined,
    })
  })

  test('is a contract of the network, which is no account', () => {
    const { vaultRelayer, settlementContract } = contracts
    const { addresses, contracts: found } = namedIn(
      `${vaultRelayer.toUpperCase().replace('0X', '0x')} took from ${one} for ${settlementContract}`,
      [contracts],
    )
    expect(addresses).toEqual([one])
    expect(found.map(({ address, name }) => [address, name])).toEqual([
      [vaultRelayer.toLowerCase(), `the vault relayer on ${network.name}`],
      [settlementContract.toLowerCase(), `the settlement contract on ${network.name}`],
    ])
  })
})

describe('who asks after an order', () => {
  test.each([
    'my order does not fill',
    'My order is not filled, why?',
    'not filled',
    'stuck',
    'Pending',
    'where is my money?',
    'WHERE IS MY ORDER',
    'order open for hours',
    'Why hasn’t my swap been executed yet?',
    'how long does a trade take',
    'my tokens are gone',
    'How do I cancel my order?',
    'cancel order',
    'order partially filled',
  ])('%s', (text) => {
    expect(isOrderQuestion(text)).toBe('only')
  })

  test.each([
    ['my uniswap order has been pending since Tuesday', 'also'],
    ['order expired', 'also'],
    ['the weather is nice today', undefined],
    ['why?', undefined],
    ['already cancelled', undefined],
    ['', undefined],
  ])('%s: %s', (text, asks) => {
    expect(isOrderQuestion(text)).toBe(asks)
  })

  test('is not who pastes the text of an error', () => {
    expect(messages.filter(([, message]) => isOrderQuestion(message) === 'only')).toEqual([])
  })
})

describe('a search that asks the service', () => {
  /** Stands for the service of two networks. @param read responds to each other document */
  const serve = (read: (query: string, variables: { network: string }) => object) => {
    vi.stubGlobal('document', { documentElement: { dataset: { root: '.' } } })
    vi.stubGlobal('location', { href: 'http://service.test/' })
    vi.stubGlobal('fetch', async (_: string, init?: { body: string }) => {
      if (!init) return new Response('', { status: 404 })
      const { query, variables } = JSON.parse(init.body)
      const isHome = query.includes('vaultRelayer')
      return Response.json(
        isHome ? { data: { networks: [{ name: 'one' }, { name: 'two' }] } } : read(query, variables),
      )
    })
  }
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  const none = { data: { token: null } }
  const late = {
    errors: [{ message: 'The node is late.', extensions: { code: 'Timeout', retryable: true } }],
  }
  const serveOn = (which: string, answer: object, others: object) =>
    serve((_, { network }) => (network === which ? answer : others))

  test('takes an address for an account only if each network says that it is no token', async () => {
    serve(() => none)
    expect(await find(one)).toEqual({ kind: 'page', path: `accounts/${one}` })
    serveOn('two', late, none)
    await expect(find(one)).rejects.toThrow('The node is late.')
    serveOn('two', { data: { token: { address: one } } }, late)
    expect(await find(one)).toEqual({ kind: 'page', path: `tokens/${one}?network=two` })
  })

  test('finds the tokens whose name is a topic too, and the topic without the service', async () => {
    const token = { address: one, symbol: 'GAS', name: 'Gas', lastAuctionPrice: null }
    const near = { ...token, address: other, symbol: 'GASX', name: 'Gasx' }
    serve(() => ({ data: { networks: [{ name: 'one', tokens: { nodes: [near, token] } }] } }))
    const { lastAuctionPrice: _, ...named } = token
    const topics = [expect.objectContaining({ title: 'Gas' })]
    const tokens = [{ ...named, network: 'one', hasPrice: false }]
    expect(await find('gas')).toEqual({ kind: 'topics', topics, word: 'gas', tokens })
    serve(() => late)
    expect(await find('gas')).toEqual({ kind: 'topics', topics, word: 'gas', tokens: [] })
  })

  test('sends a transaction that may be a private key only when the reader says so', async () => {
    const sent: string[] = []
    const respond = (answer: object) =>
      serve((_, variables) => {
        sent.push(JSON.stringify(variables))
        return answer
      })
    const hash = `0x${'3e8b51c7d9024fa6'.repeat(4)}`
    const near = { id: 'near', hash: `0x3e8b51c7${'00'.repeat(28)}`, owner: one }
    for (const answer of [late, programmatic([]), programmatic([near])]) {
      respond(answer)
      expect(await find(hash)).toEqual({ kind: 'unasked', hash })
    }
    expect(sent).toEqual(Array(3).fill('{"hash":"0x3e8b51c7"}'))
  })

  const programmatic = (nodes: object[]) => ({ data: { programmaticOrders: { nodes } } })

  test('opens a programmatic order by its hash, of which it sends four bytes, and lists those of several owners', async () => {
    const hash = `0x${'6694d74e30e4de04'.repeat(4)}`
    const nodes = [
      { id: 'mine', hash, owner: one },
      { id: 'near', hash: hash.replace(/..$/, '00'), owner: one },
    ]
    serve((_, variables) => {
      expect(variables).toEqual({ hash: '0x6694d74e' })
      return programmatic(nodes)
    })
    expect(await find(hash)).toEqual({ kind: 'page', path: 'programmatic/mine' })
    expect(await find(`my order ${hash.toUpperCase().replace('0X', '0x')}`)).toEqual({
      kind: 'page',
      path: 'programmatic/mine',
    })
    const theirs = { id: 'theirs', hash, owner: other }
    nodes.push(theirs)
    expect(await find(hash)).toEqual({ kind: 'programmatic', orders: [nodes[0], theirs] })
  })

  test('opens a programmatic order by what its notifications have in place of a UID', async () => {
    const hash = `0x${'6694d74e30e4de04'.repeat(4)}`
    const whole = `${hash}${one.slice(2)}00000000`
    serve((_, variables) => {
      expect(variables).toEqual({ hash, owner: one })
      return programmatic([{ id: 'mine', hash, owner: one }])
    })
    expect(await find(whole)).toEqual({ kind: 'page', path: 'programmatic/mine' })
    serve(() => programmatic([]))
    expect(await find(whole)).toEqual({ kind: 'page', path: `orders/${whole}` })
    serve(() => {
      throw new Error('it is asked')
    })
    expect(await find(uid)).toEqual({ kind: 'page', path: `orders/${uid}` })
  })

  test('opens the programmatic order that a transaction created on one of the networks', async () => {
    const txHash = `0x${'22b4e898465c91ca'.repeat(4)}`
    const empty = { transactionOrders: [], settlementsOfTransaction: [], programmaticOrders: { nodes: [] } }
    serve((query, { network }) => {
      if (!query.includes('txHash')) return programmatic([])
      const nodes = network === 'two' ? [{ id: 'created', hash: uid.slice(0, 66), owner: one }] : []
      return { data: { ...empty, programmaticOrders: { nodes } } }
    })
    expect(await find(txHash, true)).toEqual({ kind: 'page', path: 'programmatic/created' })
  })

  test('says that an unknown transaction may be a private key, if it is the whole text', async () => {
    const data = { transactionOrders: [], settlementsOfTransaction: [], programmaticOrders: { nodes: [] } }
    serve(() => ({ data }))
    const hash = `0x${'34'.repeat(32)}`
    expect(await find(` ${hash} `, true)).toMatchObject({ kind: 'nothing', mayBeKey: true })
    expect(await find(`transaction ${hash}`)).toMatchObject({ kind: 'nothing', mayBeKey: false })
  })
})
