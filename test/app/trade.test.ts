import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { getAddress, Interface, id, verifyTypedData } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderTypes } from '../../src/domain/signing/signing.ts'
import { sql } from '../../src/storage/database/database.ts'
import { eventually } from '../setup/eventually.ts'
import { type Ended, program, runHere } from '../setup/program.ts'
import { createTrader, graphql } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const command = () => [process.execPath, program()]
const erc20 = new Interface(['function approve(address spender, uint256 amount)'])

let world: World
let folder: string
let environment: Record<string, string>
const account = () => world.market.accounts[0] ?? expect.unreachable()

beforeAll(async () => {
  world = await startWorld()
  const pools = '{ network(name: "sepolia") { pools { nodes { token0 { symbol } token1 { symbol } } } } }'
  await eventually('the pools are known', async () => {
    const { network } = await graphql(world.url, pools)
    return JSON.stringify(network).includes('"USDC"')
  })
  folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-trade-'))
  mkdirSync(path.join(folder, '.tradegraph'))
  writeFileSync(
    path.join(folder, '.tradegraph', 'dev.json'),
    JSON.stringify({ url: world.url, rpcUrl: world.chain.rpcUrl }),
  )
  writeFileSync(path.join(folder, 'key'), `${account().privateKey}\n`, { mode: 0o600 })
  environment = { PATH: process.env.PATH ?? '', TRADEGRAPH_URL: world.url }
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world?.[Symbol.asyncDispose]()
})

/** Runs a command in the folder. */
const run = (args: readonly string[], input = '') => runHere(args, environment, { input, cwd: folder })

/** Runs a command in the folder, without a terminal. */
function runApart(args: readonly string[], input = ''): Promise<Ended> {
  const [file = '', ...words] = ['setsid', '--wait', ...command(), ...args]
  const task = promisify(execFile)(file, words, { cwd: folder, env: environment, timeout: 60_000 })
  task.child.stdin?.on('error', () => undefined).end(input)
  return task.then(
    (done) => ({ ...done, code: 0 }),
    (fault: Ended) => fault,
  )
}

/** Runs a command on a terminal of its own, with what is typed after each prompt. */
function runOnTerminal(args: readonly string[], typed: readonly [prompt: string, keys: string][]) {
  const line = [...command(), ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env: { ...environment, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let [screen, next] = ['', 0]
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    const [prompt, keys] = typed[next] ?? []
    if (prompt === undefined || !screen.includes(prompt)) return
    next++
    child.stdin?.write(keys ?? '')
  })
  return new Promise<{ code: number | null; screen: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, screen })),
  )
}

const quoteFlags = (...more: string[]) => [
  'quote',
  '--sell',
  'WETH',
  '--buy',
  'USDC',
  '--from',
  account().address,
  ...more,
]

async function quoted(...more: string[]) {
  const { code, stdout, stderr } = await run(quoteFlags(...(more.length > 0 ? more : ['--amount', '1'])))
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^quoted: /)])
  return JSON.parse(stdout)
}

type Answers = (document: string, variables: object) => Promise<object>

/** Starts a service that answers each document as the function says. */
async function startScripted(answer: Answers) {
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(await answer(query, variables)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

interface Scripted {
  quote?: { order: object }
  placeOrder?: { order: { uid: string } }
  order?: { owner: string }
  networks?: { vaultRelayer?: string }[]
  network?: { pools: { pageInfo: object } }
  meta?: { block: { number: number } }
}

/** The true service's answer. */
async function answered(query: string, variables: object): Promise<{ data: Scripted }> {
  const response = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return JSON.parse(await response.text())
}

function keep(name: string, value: object): string {
  writeFileSync(path.join(folder, name), JSON.stringify(value))
  return name
}

test('a whole trade in one pipe, and its order verified against the chain', async () => {
  const commands = [
    `tradegraph quote --sell weth --buy usdc --amount 0.123456789012345678 --from ${account().address}`,
    'tradegraph sign --key-file key --yes',
    'tradegraph submit',
  ]
  const script = `tradegraph() { ${command()
    .map((word) => `'${word}'`)
    .join(' ')} "$@"; }\n${commands.join(' | ')}`
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -o pipefail; ${script}`], {
    cwd: folder,
    env: environment,
  })
  const uid = stdout.trim()
  expect(uid).toMatch(/^0x[0-9a-f]{112}$/)
  const { order } = await graphql(world.url, `{ order(uid: "${uid}") { sellAmount } }`)
  expect(order.sellAmount).toBe('123456789012345678')
  await eventually(
    'it trades',
    async () => (await createTrader(world.url, world.market).order(uid)).status === 'fulfilled',
  )
  const verified = await run(['verify', uid])
  expect([verified.code, verified.stderr]).toEqual([0, ''])
  expect(verified.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^ok {4}digest +the UID is that of these terms and of 0x/),
    `ok    chain      the node is on chain ${world.market.network.chainId}`,
    expect.stringMatching(/^ok {4}domain +0x9008/),
    `ok    signature  EIP712 by ${account().address.toLowerCase()}`,
    'ok    status     FULFILLED: the contract has filled 0.123456789012345678 WETH of 0.123456789012345678 WETH',
  ])
  // A service may not have seen the newest blocks, and must have the older ones right.
  const { order: traded } = await graphql(
    world.url,
    `{ order(uid: "${uid}") { trades { nodes { blockNumber } } } }`,
  )
  const fill = Number(traded.trades.nodes[0].blockNumber)
  const statusWithIndexAt = async (block: number) => {
    await using late = await startScripted(async (query, variables) => {
      const { data } = await answered(query, variables)
      const unfilled = { status: 'OPEN', executedSellAmountBeforeFees: '0', executedBuyAmount: '0' }
      if (data.order) Object.assign(data.order, unfilled)
      if (data.meta) data.meta.block.number = block
      return { data }
    })
    const { code, stdout } = await run(['verify', uid, '--url', late.url, '--rpc', world.chain.rpcUrl])
    return [code, stdout.trimEnd().split('\n').at(-1)]
  }
  const amounts =
    'OPEN: the contract has filled 0.123456789012345678 WETH of 0.123456789012345678 WETH, the service 0 WETH'
  expect(await statusWithIndexAt(fill - 1)).toEqual([
    0,
    `ok    status     ${amounts}; the service’s index is not there yet, but at block ${fill - 1}`,
  ])
  expect(await statusWithIndexAt(fill)).toEqual([1, `FAIL  status     ${amounts}`])
  // A service that is wrong about an order is found out.
  const { db } = world.database
  await sql(db).$executeRaw`UPDATE orders SET executed_sell = executed_sell - 1`
  const wrong = await run(['verify', uid, '--json'])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^tradegraph: 1 of 5 checks failed/)])
  expect(
    JSON.parse(wrong.stdout).checks.filter(({ state }: { state: string }) => state === 'bad'),
  ).toMatchObject([{ about: 'status' }])
  await sql(db).$executeRaw`UPDATE orders SET executed_sell = executed_sell + 1`
})

test('an order is read from a pipe whose first command is slow, and an empty one is named', async () => {
  keep('slow.json', await quoted())
  const sign = [...command(), 'sign', '--key-file', 'key', '--yes'].map((word) => `'${word}'`).join(' ')
  const piped = (command: string) =>
    promisify(execFile)('bash', ['-c', `(${command}) | ${sign}`], { cwd: folder, env: environment }).then(
      ({ stdout }) => JSON.parse(stdout),
      ({ code, stderr }) => [code, stderr],
    )
  // The pipe is empty when the command begins to read: a fault of a read that does not wait.
  expect(await piped('sleep 4; cat slow.json')).toMatchObject({ signingScheme: 'EIP712' })
  expect(await piped('true')).toEqual([
    2,
    expect.stringContaining('the input is empty: the command before may have failed'),
  ])
})

describe('quote', () => {
  test('takes exact amounts, a slippage and an expiry', async () => {
    const sale = await quoted('--amount', '1.5', '--slippage', '1', '--valid-for', '600')
    expect(sale).toMatchObject({
      network: 'sepolia',
      from: account().address.toLowerCase(),
      appData: '{}',
      sellToken: { symbol: 'WETH', decimals: 18 },
      order: { kind: 'SELL', sellAmount: '1500000000000000000', feeAmount: '0' },
    })
    expect(Math.abs(sale.order.validTo - Date.now() / 1_000 - 600)).toBeLessThan(30)
    const purchase = await quoted('--buy-amount', '100.000001')
    expect(purchase.order).toMatchObject({ kind: 'BUY', buyAmount: '100000001' })
    const limits = [
      await quoted('--amount', '1', '--limit', '6000.5'),
      await quoted('--buy-amount', '1', '--limit', '0.01'),
    ]
    expect(limits.map(({ order }) => [order.sellAmount, order.buyAmount])).toEqual([
      ['1000000000000000000', '6000500000'],
      ['10000000000000000', '1000000'],
    ])
  })

  test('warns about the order that is to be signed, also at a limit of its own', async () => {
    const warnings = async (...flags: string[]) => {
      const { code, stderr } = await run(quoteFlags('--from', `0x${'12'.repeat(20)}`, ...flags))
      return { code, warnings: [...stderr.matchAll(/^warning: (\w+): /gm)].map(([, reason]) => reason) }
    }
    const funds = ['BALANCE_MISSING', 'ALLOWANCE_MISSING']
    expect(await warnings('--amount', '1')).toEqual({ code: 0, warnings: funds })
    expect(await warnings('--amount', '1', '--limit', '6000')).toEqual({
      code: 0,
      warnings: [...funds, 'PRICE_OUT_OF_REACH'],
    })
  })

  test.each([
    [['--amount', '1.0000000000000000001'], 2, '--amount has 19 decimals, but WETH has 18'],
    [['--amount', '1e18'], 2, '--amount must be a decimal number of tokens, such as 1.5'],
    [['--amount', '0'], 2, '--amount must be above 0 and below 2^256 atoms'],
    [['--amount', '1', '--buy-amount', '1'], 2, 'quote needs either --amount or --buy-amount'],
    [['--amount', '1', '--network', 'gnosis'], 2, '--network must be one of sepolia'],
    [['--amount', '1', '--slippage', 'much'], 2, '--slippage must be a percentage such as 0.5, or auto'],
    [['--amount', '1', '--slippage', '1', '--limit', '9'], 2, '--limit leaves no place for --slippage'],
    [['--amount', '1', '--buy', 'GHOST'], 1, 'no pool on sepolia has a token GHOST: name its address'],
    [['--amount', '0.000000000000000001'], 1, 'SellAmountDoesNotCoverFee: '],
    [
      ['--amount', '1', '--url', 'http://127.0.0.1:9'],
      4,
      'the service at http://127.0.0.1:9 cannot be reached',
    ],
  ])('refuses %j', async (flags, code, reason) => {
    const ended = await run(quoteFlags(...flags))
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr.startsWith(`tradegraph: ${reason}`), ended.stderr).toBe(true)
  })
})

describe('quote of a service that answers another order', () => {
  const far = Math.floor(Date.now() / 1_000) + 1_000_000
  test.each([
    ['receiver', { receiver: '0x00000000000000000000000000000000000000aa' }],
    ['sellAmount', { sellAmount: '10000000000000000000' }],
    ['kind', { kind: 'BUY' }],
    ['buyToken', { buyToken: '0x00000000000000000000000000000000000000aa' }],
    ['feeAmount', { feeAmount: '1' }],
    ['validTo', { validTo: far }],
    ['partiallyFillable', { partiallyFillable: true }],
    ['sellTokenBalance, buyTokenBalance', { sellTokenBalance: 'INTERNAL', buyTokenBalance: 'INTERNAL' }],
    ['appData', { appData: `0x${'1'.repeat(64)}` }],
  ])('refuses its %s', async (members, changes) => {
    await using hostile = await startScripted(async (query, variables) => {
      const { data } = await answered(query, variables)
      if (data.quote) Object.assign(data.quote.order, changes)
      return { data }
    })
    const ended = await run(quoteFlags('--amount', '1', '--url', hostile.url))
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `tradegraph: the service quotes another order than the flags demand: see its ${members}\n`,
    })
  })
})

test('quote names both tokens, and takes no symbol from a part of the pools', async () => {
  await using crowded = await startScripted(async (query, variables) => {
    const { data } = await answered(query, variables)
    if (data.network) data.network.pools.pageInfo = { hasNextPage: true }
    return { data }
  })
  const refused = await run(quoteFlags('--amount', '1', '--url', crowded.url))
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'tradegraph: sepolia has too many pools to know that only one token is called USDC: name its address\n',
  })
  const { WETH, USDC } = world.market.tokens
  const addressed = quoteFlags('--amount', '1', '--url', crowded.url, '--buy', USDC.address)
  const { code, stderr } = await run(addressed)
  expect([code, stderr]).toEqual([0, expect.stringContaining(` WETH (${WETH.address}) for `)])
  expect(stderr).toContain(` USDC (${USDC.address}), verified`)
})

describe('sign', () => {
  test('shows what is signed, and signs what wallets sign', async () => {
    const order = await quoted()
    const ended = await run(['sign', '--key-file', 'key', '--yes', keep('order.json', order)])
    expect(ended.code).toBe(0)
    expect(ended.stderr.split('\n')[0]).toBe(
      `sell     1 WETH (1000000000000000000 atoms of ${order.sellToken.address})`,
    )
    expect(ended.stderr).toMatch(/^buy {6}at least 29\d\d(\.\d+)? USDC \(29\d{8} atoms of 0x/m)
    expect(ended.stderr).toMatch(/^until {4}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, in (29|30) minutes$/m)
    expect(ended.stderr).toMatch(/^network {2}sepolia, chain id 11155111, settlement contract 0x9008/m)
    const { signature, ...signed } = JSON.parse(ended.stdout)
    const domain = {
      name: 'Gnosis Protocol',
      version: 'v2',
      chainId: signed.chainId,
      verifyingContract: signed.settlementContract,
    }
    const message = { ...signed.order, kind: 'sell', sellTokenBalance: 'erc20', buyTokenBalance: 'erc20' }
    expect(verifyTypedData(domain, orderTypes, message, signature)).toBe(getAddress(account().address))
    expect(ended.stdout + ended.stderr).not.toContain(account().privateKey.slice(2))
  })

  test('shows app data, and balances other than of the token itself', async () => {
    const order = await quoted()
    const appData = '{"metadata":{"hooks":{}}}'
    const terms = { sellTokenBalance: 'INTERNAL', buyTokenBalance: 'INTERNAL', appData: id(appData) }
    const file = keep('unusual.json', { ...order, appData, order: { ...order.order, ...terms } })
    const { code, stderr } = await run(['sign', '--key-file', 'key', '--yes', file])
    expect([code, stderr.split('\n').slice(4, 7)]).toEqual([
      0,
      ['from     the INTERNAL balance', 'to       the INTERNAL balance', `app data ${appData}`],
    ])
  })

  test('compares chain id and decimals with a node, or says that it did not', async () => {
    const order = await quoted()
    const last = async (changes: object, ...flags: string[]) => {
      const file = keep('claims.json', { ...order, ...changes })
      const { code, stderr } = await run(['sign', '--key-file', 'key', '--yes', ...flags, file])
      return [code, stderr.trimEnd().split('\n').at(-1)]
    }
    const rpc = ['--rpc', world.chain.rpcUrl]
    const buyToken = { ...order.buyToken, decimals: 18 }
    expect([
      await last({ buyToken }),
      await last({}, ...rpc),
      await last({ buyToken }, ...rpc),
      await last({ chainId: 1 }, ...rpc),
      await last({}, '--rpc', 'http://127.0.0.1:9'),
    ]).toEqual([
      [0, 'claims   decimals and symbols are the service’s word: see --rpc'],
      [0, 'node     has this chain id and settlement contract, and these decimals of both tokens'],
      [1, `tradegraph: ${buyToken.address} has 6 decimals on the node, and 18 in the order`],
      [1, 'tradegraph: the service says that sepolia has the chain id 1, and it is 11155111'],
      [4, expect.stringMatching(/^tradegraph: the node: /)],
    ])
  })

  test('asks on a terminal, and hides the key', async () => {
    const file = keep('order.json', await quoted())
    const { privateKey } = account()
    const prompts = (answer: string): [string, string][] => [
      ['private key: ', `${privateKey}\r`],
      ['Sign this order? [y/N] ', answer],
    ]
    const [yes, no, stopped] = await Promise.all([
      runOnTerminal(['sign', file], prompts('y\r')),
      runOnTerminal(['sign', file], prompts('\r')),
      runOnTerminal(['sign', file], [['private key: ', '\x03']]),
    ])
    expect(yes.code).toBe(0)
    expect(yes.screen).toContain('"signature": "0x')
    expect([no.code, no.screen]).toEqual([1, expect.stringContaining('nothing was signed')])
    expect(stopped.code).toBe(130)
    for (const { screen } of [yes, no, stopped]) expect(screen).not.toContain(privateKey.slice(2, 20))
  })

  test('refuses without a key that only its owner reads, and without a yes', async () => {
    const order = await quoted()
    const file = keep('order.json', order)
    const other = world.market.accounts[1]?.privateKey ?? ''
    for (const [name, text, mode] of [
      ['open', account().privateKey, 0o640],
      ['wrong', other, 0o600],
      ['short', '0x12', 0o600],
    ] as const) {
      writeFileSync(path.join(folder, name), text)
      chmodSync(path.join(folder, name), mode)
    }
    const expired = keep('expired.json', { ...order, order: { ...order.order, validTo: 1 } })
    const exchanged = keep('exchanged.json', { ...order, sellToken: order.buyToken })
    const document = keep('document.json', { ...order, appData: '{"x":1}' })
    const faults = await Promise.all([
      run(['sign', '--yes', '--key-file', 'open', file]),
      run(['sign', '--yes', '--key-file', 'wrong', file]),
      run(['sign', '--yes', '--key-file', 'short', file]),
      run(['sign', '--yes', '--key-file', 'nowhere', file]),
      runApart(['sign', '--yes', file]),
      runApart(['sign', '--key-file', 'key', file]),
      run(['sign', '--yes', '--key-file', 'key', expired]),
      run(['sign', '--yes', '--key-file', 'key', exchanged]),
      run(['sign', '--yes', '--key-file', 'key', document]),
      run(['sign', '--yes', '--key-file', 'key'], 'no order'),
      run(['sign', '--yes', '--key', account().privateKey, file]),
      run(['sign', '--yes', '--key-file', account().privateKey, file]),
    ])
    const reasons = faults.map(({ code, stdout, stderr }) => {
      expect(stdout).toBe('')
      return [code, /^tradegraph: (.*)$/m.exec(stderr)?.[1]]
    })
    expect(reasons).toEqual([
      [1, 'open may be read by others (mode 640)'],
      [1, expect.stringMatching(/^the key is that of 0x\w+, and the order that of 0x/)],
      [2, 'short is no private key: it must be 32 bytes of hex'],
      [2, 'nowhere cannot be read (ENOENT)'],
      [2, 'there is no terminal to ask for the key on: name a --key-file'],
      [2, 'there is no terminal to ask on: --yes signs without asking'],
      [1, 'the order has expired: quote again'],
      [2, 'exchanged.json: sellToken or buyToken is not that of the order'],
      [2, 'document.json: order.appData is not the hash of appData'],
      [2, 'the input is no JSON'],
      [2, "unknown option '--key'"],
      [2, 'the file of --key-file cannot be read (ENOENT)'],
    ])
    expect(faults[0]?.stderr).toContain('What to do: chmod 600 open')
    expect(faults.map(({ stderr }) => stderr).join()).not.toContain(account().privateKey.slice(2))
  })
})

describe('submit and cancel', () => {
  const signed = async (more: (order: Record<string, string>) => object = (order) => order) => {
    const order = await quoted()
    const file = keep('order.json', { ...order, order: more(order.order) })
    return (await run(['sign', '--key-file', 'key', '--yes', file])).stdout
  }

  test('an order is placed once, and cancelled', async () => {
    const file = await signed((order) => ({ ...order, buyAmount: `${BigInt(order.buyAmount ?? 0) * 3n}` }))
    const placed = await run(['submit'], file)
    expect([placed.code, placed.stdout]).toEqual([0, `${JSON.parse(file).uid}\n`])
    const again = await run(['submit', '-'], file)
    expect([again.code, again.stdout]).toEqual([1, ''])
    expect(again.stderr).toMatch(/^tradegraph: DuplicatedOrder: .*\n {2}What to do: /)
    const uid = placed.stdout.trim()
    const cancelled = await run(['cancel', uid, '--key-file', 'key', '--yes'])
    expect([cancelled.code, cancelled.stdout]).toEqual([0, `${uid} CANCELLED\n`])
    expect(cancelled.stderr).toContain(`cancel   ${uid} (OPEN)`)
    const verified = await run(['verify', uid])
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining('the cancellation is not on chain'),
    ])
    await using elsewhere = await startScripted(answered)
    expect(await run(['verify', uid, '--url', elsewhere.url])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^tradegraph: no node of sepolia is known: name one with --rpc\n/),
    })
    const refused = await run(['cancel', uid, '--key-file', 'key', '--yes'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('tradegraph: AlreadyCancelled: '),
    ])
    const unknown = `${uid.slice(0, -8)}ffffffff`
    for (const command of [
      ['cancel', unknown, '--key-file', 'key', '--yes'],
      ['verify', unknown],
    ])
      expect(await run(command)).toMatchObject({
        code: 3,
        stderr: `tradegraph: there is no order ${unknown}\n`,
      })
  })

  test('a file that is not signed, or was changed, is refused with the member', async () => {
    const file = await signed()
    const changed = JSON.parse(file)
    changed.order.buyAmount = '1'
    const { uid: _, ...unsigned } = JSON.parse(file)
    const [no, wrong] = await Promise.all([
      run(['submit'], JSON.stringify(unsigned)),
      run(['submit'], JSON.stringify(changed)),
    ])
    expect([no.code, no.stderr]).toEqual([2, expect.stringContaining('`tradegraph sign` adds it.')])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/^tradegraph: the input: uid is not that of the order\n/),
    ])
  })

  test('a service that answers with other orders or contracts is refused', async () => {
    const file = await signed((order) => ({ ...order, buyAmount: `${BigInt(order.buyAmount ?? 0) * 4n}` }))
    const { uid } = JSON.parse(file)
    const other = `0x${'12'.repeat(56)}`
    await using hostile = await startScripted(async (query, variables) => {
      if (query.includes('placeOrder'))
        return { errors: [{ message: 'none', extensions: { code: 'InsufficientAllowance' } }] }
      const { data } = await answered(query, variables)
      for (const network of data.networks ?? []) network.vaultRelayer = '0x12; rm -r x'
      return { data }
    })
    const approval = await run(['submit', '--url', hostile.url], file)
    expect([approval.code, approval.stderr]).toEqual([1, expect.stringContaining('InsufficientAllowance')])
    expect(approval.stderr).not.toContain('rm -r')
    expect(approval.stderr).toContain(` 'approve(address,uint256)' ${world.market.network.vaultRelayer} `)
    await using renaming = await startScripted(async (query, variables) => {
      const { data } = await answered(query, variables)
      if (data.placeOrder) data.placeOrder.order.uid = other
      if (data.order) Object.assign(data.order, { uid: other, owner: other.slice(0, 42) })
      return { data }
    })
    expect(await run(['submit', '--url', renaming.url], file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `tradegraph: the service answers with the UID ${other}, and the signed order has ${uid}\n`,
    })
    const cancelled = await run(['cancel', uid, '--key-file', 'key', '--yes', '--url', renaming.url])
    expect([cancelled.code, cancelled.stdout]).toEqual([0, `${uid} CANCELLED\n`])
    expect(cancelled.stderr).toContain(`cancel   ${uid} (OPEN)`)
  })

  test('an allowance that is missing is named with how to give it', async () => {
    const { network, tokens } = world.market
    const approve = (amount: bigint) =>
      world.chain.rpc.call('eth_sendTransaction', [
        {
          from: account().address,
          to: tokens.WETH.address,
          data: erc20.encodeFunctionData('approve', [network.vaultRelayer, amount]),
        },
      ])
    let more = 0n
    await approve(0n)
    try {
      // One that is placed before the approval is in a block would be a duplicate afterwards.
      const refused = await eventually('the allowance is gone', async () => {
        more++
        const file = await signed((order) => ({
          ...order,
          buyAmount: `${BigInt(order.buyAmount ?? 0) + more}`,
        }))
        const ended = await run(['submit'], file)
        return ended.code === 1 && ended
      })
      expect(refused.stderr.split('\n').slice(0, 5)).toEqual([
        expect.stringMatching(/^tradegraph: InsufficientAllowance: /),
        expect.stringMatching(/^ {2}What to do: Approve that contract/),
        `  That contract is the vault relayer, ${network.vaultRelayer}; the token is ${tokens.WETH.address}.`,
        `  With Foundry: cast send ${tokens.WETH.address} 'approve(address,uint256)' ${network.vaultRelayer} 1000000000000000000 --from ${account().address.toLowerCase()} --interactive --rpc-url NODE`,
        `  NODE is the URL of a node of the chain ${network.chainId}. The command replaces the present allowance.`,
      ])
    } finally {
      await approve(2n ** 256n - 1n)
    }
  })
})
