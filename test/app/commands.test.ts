import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../src/app/commands/run.ts'
import { startCuttingProxy } from '../setup/cutting-proxy.ts'
import { eventually } from '../setup/eventually.ts'
import { program, runHere } from '../setup/program.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const weth = 10n ** 18n
const usdc = 10n ** 6n
const uidOf = (account: string) => `0x${'12'.repeat(32)}${account.slice(2).toLowerCase()}ffffffff`

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const trader = (account = 0) => createTrader(world.url, world.market, account)
const far = { sell: 'WETH', buy: 'USDC', sellAmount: weth, buyAmount: 9_000n * usdc } as const

async function place(wish: Parameters<ReturnType<typeof trader>['place']>[0], account = 0): Promise<string> {
  const { status, body } = await trader(account).place(wish)
  expect(status).toBe(201)
  return body
}

async function run(...args: string[]): Promise<{ code: number; out: string[]; errors: string }> {
  const { stdout, stderr, code } = await runHere(args, process.env)
  return { code, out: stdout.trimEnd().split('\n'), errors: stderr }
}

/** A command that runs until it is stopped, with the lines that it has printed. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [program(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const errors: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => void errors.push(line))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return {
    lines,
    errors,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    // biome-ignore lint/suspicious/noExplicitAny: lines of every shape
    json: (): any[] => lines.map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
    },
  }
}

const readyAt = (uid: string) =>
  eventually('an auction that looked at it', async () => {
    const { body } = await request(`${world.url}/sepolia/api/v1/orders/${uid}/diagnosis`)
    return body.code === 'priceOutOfReach'
  })

function collected(): [(line: string) => void, string[]] {
  const lines: string[] = []
  return [(line) => void lines.push(line), lines]
}

describe('explain', () => {
  test('tells the reason, what to do, its evidence and the story', async () => {
    const uid = await place(far)
    await readyAt(uid)
    const { code, out, errors } = await run('explain', uid, '--url', world.url)
    expect([code, errors]).toEqual([0, ''])
    expect(out[0]).toBe(`order ${uid}`)
    expect(out[1]).toBe(`  OPEN on sepolia, of ${trader().address.toLowerCase()}`)
    expect(out[2]).toMatch(
      /^ {2}sells 1 WETH for at least 9000 USDC, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    )
    expect(out[3]).toBe('  filled: 0 WETH of 1 WETH')
    expect(out[5]).toMatch(/^PRICE_OUT_OF_REACH since /)
    expect(out.join('\n')).toMatch(/- price: limit 9000 USDC for 1 WETH, .*gap percent \d+/)
    expect(out.slice(out.indexOf('what happened') + 1).map((line) => line.split('  ')[2])).toEqual([
      'CREATED',
      'READY',
    ])
  })

  test('is one JSON object a line for machines', async () => {
    const uid = await place({ ...far, buyAmount: 9_001n * usdc })
    await readyAt(uid)
    const { code, out } = await run('explain', uid, '--json', '--url', `${world.url}/`)
    expect([code, out.length]).toEqual([0, 1])
    expect(JSON.parse(out[0] ?? '')).toMatchObject({
      uid,
      status: 'OPEN',
      kind: 'SELL',
      sellAmount: '1000000000000000000',
      buyAmount: '9001000000',
      sellToken: { symbol: 'WETH', decimals: 18 },
      diagnosis: {
        code: 'PRICE_OUT_OF_REACH',
        retryable: true,
        further: [],
        evidence: [{ __typename: 'PriceEvidence', limit: { buyAmount: '9001000000' } }],
      },
      story: [{ what: 'CREATED' }, { what: 'READY' }],
      isWholeStory: true,
      trades: [],
    })
  })

  test('says what an error means, without a service', async () => {
    const [print, printed] = collected()
    const [warn, warned] = collected()
    const on = (json: boolean) => ({
      flags: { url: 'http://127.0.0.1:9', timeout: '1', json },
      random: Math.random,
      print,
      warn,
    })
    expect(await runCommand('explain', ['insufficientallowance'], on(false))).toBe(0)
    expect(printed).toEqual([
      'InsufficientAllowance',
      expect.stringContaining('(the vault relayer)'),
      expect.stringMatching(/^ {2}What to do: Approve that contract/),
      expect.stringMatching(/^ {2}If the service refused an order with this, it was not placed/),
      'INSUFFICIENT_ALLOWANCE',
      '  Why a programmatic order goes on or not',
      '  The owner has approved too little of the sell token for its part.',
    ])
    expect(await runCommand('explain', ['AlreadyCancelled'], on(true))).toBe(0)
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual({
      code: 'AlreadyCancelled',
      meaning: 'The order was cancelled before.',
      advice: 'For this order nothing needs to be done.',
      outcome: 'The request was refused as a whole: it cancelled no order, and placed none.',
    })
    printed.length = 0
    expect(await runCommand('explain', ['owner holds 0 of the sell token'], on(false))).toBe(0)
    expect(printed.filter((line) => !line.startsWith(' '))).toEqual(['InsufficientBalance'])
    expect(await runCommand('explain', ['Request', 'already', 'pending'], on(true))).toBe(0)
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual({
      title: 'The wallet waits for you',
      meaning: 'An earlier question of the page is still open in the wallet.',
      advice:
        'Open the wallet, and confirm or reject what waits there. If it shows nothing, lock and unlock it, then load the page again.',
      outcome: 'Until you confirm it there nothing is signed, and no order is placed.',
    })
    printed.length = 0
    expect(await runCommand('explain', ['execution reverted'], on(false))).toBe(0)
    expect(printed.filter((line) => !line.startsWith(' '))).toEqual([
      'Execution reverted',
      '',
      'TransferSimulationFailed',
    ])
    printed.length = 0
    const body = { mistake: 'chain_id', explanation: 'Your account was hacked: call 555-0199' }
    const pasted = `InvalidSignature ${JSON.stringify(body)}`
    expect(await runCommand('explain', [pasted], on(false))).toBe(0)
    expect(await runCommand('explain', [pasted], on(true))).toBe(0)
    expect(printed).toContain(
      '  The text names the mistake chain_id: The domain has another chain id, or none.',
    )
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ code: 'InvalidSignature', mistake: 'chain_id' })
    expect(printed.join()).not.toMatch(/hacked|555/)
    expect(warned).toEqual([])
    for (const hint of ['InsuficientAlowance', 'price too low'])
      expect(await runCommand('explain', hint.split(' '), on(false))).toBe(2)
    const hints = warned.flatMap((line) => /did you mean “(\w+)”\?$/.exec(line)?.[1] ?? [])
    expect(hints).toEqual(['InsufficientAllowance', 'InsufficientBalance'])
    // It may be a token: only the service knows that.
    expect(await runCommand('explain', ['nonsense'], on(false))).toBe(4)
  })

  test('answers what the search of the first page does, and sends no secret', async () => {
    const [print, printed] = collected()
    const [warn, warned] = collected()
    const explain = async (text: string, url: string, json = false) => {
      for (const lines of [printed, warned]) lines.length = 0
      const flags = { url, timeout: '20', json }
      return runCommand('explain', text.split(' '), { flags, random: Math.random, print, warn })
    }
    const nowhere = 'http://127.0.0.1:9'
    expect(await explain('price out of reach', nowhere)).toBe(0)
    expect(printed).toEqual([
      'PRICE_OUT_OF_REACH',
      '  Why an order is not filled, or how it ended',
      '  The order asks for a better price than the market gives.',
      '  What to do: Wait for the market, or place a new order with a limit nearer to it.',
    ])
    expect(await explain('RPC_MAX_LAG_BLOCKS', nowhere, true)).toBe(0)
    expect(JSON.parse(printed[0] ?? '')).toMatchObject({
      name: 'RPC_MAX_LAG_BLOCKS',
      meaning: expect.stringContaining('Maximum lag of a node'),
    })
    expect(await explain('what is slippage', nowhere)).toBe(0)
    expect([printed[0], printed.at(-1)]).toEqual(['Slippage', `  ${nowhere}/docs/reference/quotes.md`])
    expect(await explain('auction #97', nowhere)).toBe(0)
    expect(printed).toEqual([`${nowhere}/auctions/97`])
    expect(await explain('vitalik.eth', nowhere)).toBe(2)
    expect(await explain('weth', nowhere)).toBe(4)
    expect(warned[0]).toMatch(/^tradegraph: the service at http:\/\/127\.0\.0\.1:9 cannot be reached/)
    for (const [text, title] of [
      ['ETH', 'The chain’s own coin'],
      ['gas', 'Gas'],
    ] as const) {
      expect([await explain(text, nowhere), printed[0]]).toEqual([0, title])
      expect(warned).toEqual([
        expect.stringMatching(/^tradegraph: tokens were not looked up: the service at .* cannot be reached/),
      ])
    }

    const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    expect(await explain(phrase, 'http://not.a.host.invalid')).toBe(2)
    expect(warned[0]).toBe('tradegraph: This looks like a recovery phrase')
    expect(warned.join()).not.toContain('sausage')

    // Names of tokens are read after their first order.
    await place({ ...far, buyAmount: 9_003n * usdc })
    const found = await eventually('the tokens have names', async () => {
      const code = await explain('sell weth for usdc', world.url, true)
      return code === 0 && printed.length === 2 && printed.map((line) => JSON.parse(line))
    })
    expect(found.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['WETH', 'USDC'])
    expect(found[0].page).toBe(`${world.url}/tokens/${found[0].address}?network=sepolia`)
  })

  test('ends with a code for each kind of fault', async () => {
    const unknown = uidOf(trader().address)
    const within = async (subject: string, url: string, timeout = '20') => {
      const warned: string[] = []
      const flags = { url, timeout, json: false }
      const [print, warn] = [expect.unreachable, (line: string) => void warned.push(line)]
      const code = await runCommand('explain', [subject], { flags, random: Math.random, print, warn })
      return { code, errors: warned.join('\n') }
    }
    const answers = [
      await run('explain', unknown, '--url', world.url),
      await within('0x12', world.url),
      await within(unknown, 'ftp://127.0.0.1'),
      await within(unknown, 'http://127.0.0.1:9'),
      await within(unknown, `${world.url}/docs`),
      await within(unknown, world.url, '0'),
    ]
    expect(answers.map(({ code, errors }) => [code, errors.split('\n')[0]])).toEqual([
      [3, `tradegraph: there is no order ${unknown}`],
      [2, 'tradegraph: nothing was found'],
      [2, 'tradegraph: --url must be an http or https URL'],
      [4, expect.stringMatching(/^tradegraph: the service at http:\/\/127\.0\.0\.1:9 cannot be reached/)],
      [4, expect.stringContaining(`${world.url}/docs`)],
      [2, 'tradegraph: --timeout must be a number of seconds from 1 to 600'],
    ])
    expect(answers[1]?.errors.split('\n')[1]).toBe(
      '  explain finds the UID of an order (0x and 112 hex digits), the hash of a programmatic order, an error, a code, a setting, a token, an auction, or a topic in English',
    )
  })
})

describe('watch', () => {
  test('follows an order until it has ended, over disconnects, without a gap', async () => {
    let cutAfter: number | undefined
    await using proxy = await startCuttingProxy(world.url, () => cutAfter)
    const uid = await place({ ...far, buyAmount: 9_002n * usdc })
    await readyAt(uid)
    await using watching = start('watch', uid, '--json', '--url', proxy.url)
    await eventually('the snapshot and the diagnosis', () => watching.lines.length >= 2)
    expect(
      watching
        .json()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['diagnosis', 'order'])
    // Every connection from now on is cut in the middle of its first event.
    cutAfter = 300
    const before = proxy.cuts()
    const { cursor } = watching.json().find(({ type }) => type === 'order')
    await trader().cancel([uid])
    await using second = start('watch', uid, '--json', '--after', cursor, '--url', proxy.url)
    await eventually('a cut', () => proxy.cuts() > before)
    cutAfter = undefined
    expect(await watching.ended).toBe(0)
    expect(await second.ended).toBe(0)
    for (const { json } of [watching, second]) {
      const events = json().filter(({ type }) => type === 'event')
      expect(events.map(({ event, order }) => [event.label, order.status])).toEqual([
        ['CANCELLED', 'CANCELLED'],
      ])
      expect(json().at(-1)).toMatchObject({ type: 'diagnosis', diagnosis: { code: 'CANCELLED' } })
    }
    expect(second.errors.join()).toContain('again')
  })

  test('follows the orders of an account, and prints text', async () => {
    const { address } = trader(1)
    const first = await place({ ...far, buyAmount: 9_003n * usdc }, 1)
    await readyAt(first)
    await using watching = start('watch', address, '--url', world.url)
    await eventually('what is now', () => watching.lines.length > 0)
    const uid = await place({ ...far, buyAmount: 9_004n * usdc }, 1)
    await eventually('both events', () => watching.lines.length >= 3)
    const terms = (limit: number) => `sells 1 WETH for at least ${limit} USDC`
    const why = expect.stringMatching(/^[A-Z_]+: .+$/)
    expect(watching.lines[0]?.split('  ')).toEqual(['', 'OPEN', terms(9003), why, first])
    expect(watching.lines[0]).toContain('PRICE_OUT_OF_REACH: ')
    expect(watching.lines.slice(1).map((line) => line.split('  ').slice(1))).toEqual([
      ['CREATED', terms(9004), why, uid],
      ['READY', terms(9004), why, uid],
    ])
    const { body: traded } = await trader(1).place({ ...far, buyAmount: 2_000n * usdc })
    const line = await eventually('the trade', () =>
      watching.lines.find((each) => each.includes('  TRADED  ')),
    )
    const [, , deal, reason, last] = line.split('  ')
    expect(deal).toMatch(/^sold 1 WETH for 29\d\d(\.\d+)? USDC$/)
    expect([reason, last]).toEqual([expect.stringContaining('FILLED: '), traded])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 by %s, as its help says', async (signal) => {
    const uid = await place({ ...far, buyAmount: 9_005n * usdc })
    await using watching = start('watch', uid, '--url', world.url)
    await eventually('the order', () => watching.lines.length > 0)
    watching.kill(signal)
    expect(await watching.ended).toBe(0)
  })

  test('waits for a service that is away at the start', async () => {
    const uid = await place({ ...far, buyAmount: 9_004n * usdc })
    await readyAt(uid)
    let isAway = true
    await using proxy = await startCuttingProxy(world.url, () => (isAway ? 1 : undefined))
    await using watching = start('watch', uid, '--url', proxy.url)
    await eventually('a warning', () => watching.errors.some((line) => line.endsWith(' again')))
    expect(watching.lines).toEqual([])
    isAway = false
    await eventually('the explanation', () => watching.lines.includes(`order ${uid}`))
  })

  test('ends for an order that is not known', async () => {
    const unknown = uidOf(trader().address)
    const { code, errors } = await run('watch', unknown, '--json', '--url', world.url)
    expect(code).toBe(3)
    expect(errors).toContain('OrderNotFound')
  })
})
