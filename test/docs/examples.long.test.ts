import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildSchema, GraphQLError, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readNetworks, readSettings } from '../../src/app/config.ts'
import { freePort } from '../../src/dev/process/process.ts'
import { type Pool, poolOutputDown } from '../../src/domain/routing/pool.ts'
import { schemaText } from '../../src/graphql/schema.ts'
import { parseEngineAnswer } from '../../src/solvers/engine/client.ts'
import { quoteOrder, readEngineQuote } from '../../src/solvers/engine/quote.ts'
import { writeAuction } from '../../src/solvers/engine/request.ts'
import { findTokens } from '../../src/storage/token/tokens.ts'
import { numbered } from '../fakes/order.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'
import { holdsInOrder, isFile, openFolder, runPage } from './examples.ts'
import { type Page, proseOf, readPage, readPages } from './pages.ts'

/** Commands that no test of this file runs, by page and first line, and why. */
const notRun: Record<string, Record<string, string>> = {
  'README.md': {
    'npm ci':
      'installs packages and starts the local stack: test/app/crash.long.test.ts starts the same command',
  },
  'docs/how-to/run-locally.md': {
    'npm ci': 'the same',
    'npm install ./tradegraph-0.2.0.tgz': 'test/app/package.long.test.ts installs the package and runs it',
  },
  'CONTRIBUTING.md': { 'npm ci': 'runs all tests, this one among them' },
  'docs/tutorial.md': {
    'npm ci': 'installs packages and starts the local stack: the page runs against the stack of the tests',
  },
  'docs/how-to/run-on-a-real-network.md': {
    'npm ci': 'installs packages and writes dist',
    'cast send --rpc-url https://node.example --interactive \\':
      'needs a real network: test/solvers/engine/balance-guard.test.ts deploys the contract',
    'export DATABASE_URL=postgres://tradegraph:secret@127.0.0.1:5432/tradegraph':
      'a database of the reader: the settings are read by a test below',
    'METRICS_PORT=9464 node dist/src/app/commands/tradegraph.js serve      # GraphQL, REST and streams: any number of processes':
      'needs a real network; test/services/processes.test.ts starts the roles',
  },
  'docs/how-to/follow-an-order-book.md': {
    'npm run dev -- --follow http://127.0.0.1:4000':
      'starts a system: test/dev/follow.long.test.ts starts the same command',
    'export DATABASE_URL=postgres://tradegraph:secret@127.0.0.1:5432/tradegraph':
      'a database of the reader: the settings are read by a test below',
  },
  'docs/how-to/add-a-solver.md': {
    'node engine.mjs': 'does not end: a test below runs it beside a service of its own',
    'QUOTE_ESTIMATORS=$(cat estimators.json) npm run dev': 'starts the local stack: the same test',
  },
  'docs/how-to/write-a-solver.md': {
    'node --import tsx src/app/commands/tradegraph.ts auction export 7 > auction.json':
      'needs the local stack: test/app/engines.long.test.ts reads what is kept',
  },
  'docs/reference/accounting.md': {
    'node --import tsx src/app/commands/tradegraph.ts accounting --from 0 --to 1000 > accounts.csv':
      'needs a database: test/app/accounting.long.test.ts runs the command',
    'node --import tsx bench/accounting/run.ts --rpc http://127.0.0.1:8545 --service http://127.0.0.1:4000/sepolia \\':
      'needs the local stack: the same test computes what it prints',
  },
  'docs/how-to/run-in-containers.md': {
    'export POSTGRES_PASSWORD=a-long-random-text':
      'needs a daemon of containers: test/docs/ops.test.ts reads the files',
    'cp ops/systemd/tradegraph@.service /etc/systemd/system/': 'needs systemd: the same test reads the unit',
    'kubectl create namespace tradegraph': 'needs a cluster: the same test reads the manifests',
    'pg_dump --format=custom --file=tradegraph.dump "$DATABASE_URL"':
      'test/services/dump.test.ts restores a dump',
  },
  'docs/how-to/allowances.md': {
    'tradegraph allowances revoke --network mainnet          # says what it would do, and what it may cost':
      'needs a real network: test/app/allowances.long.test.ts runs the command',
  },
  'docs/how-to/deploy.md': {
    'node dist/src/app/commands/tradegraph.js migrate --dry-run    # prints what would run':
      'needs a build and a database: test/storage/database/versions.long.test.ts runs the command',
    'ROLLING_RESTARTS=10 ROLLING_RATE=200 npm run test:services -- rolling':
      'takes minutes: CI runs it shorter',
  },
  'docs/how-to/send-e-mails.md': {
    'export SMTP_URL=smtps://tradegraph:secret@mail.example.com':
      'settings: test/app/config.test.ts reads them, test/app/e-mails.test.ts sends',
  },
  'docs/how-to/publish-to-nats.md': {
    'export NATS_URL=nats://tradegraph:secret@nats.example.com:4222':
      'settings: test/app/config.test.ts reads them, test/services/book-sinks.test.ts publishes and runs the program',
  },
  'docs/how-to/join-a-supergraph.md': {
    'npm install graphql@16.15.0 graphql-yoga@5.24.1 @theguild/federation-composition@0.27.0':
      'the tree has the same versions',
    'npm install @graphql-hive/gateway@2.15.1':
      'installs 514 MB: test/graphql/federation.test.ts asks through the library of that gateway',
    "uid=$(curl -s http://127.0.0.1:4002/graphql -H 'content-type: application/json' \\": 'the same',
  },
  'docs/how-to/build-an-index.md': {
    'npx tradegraph export --url http://127.0.0.1:4000 --network sepolia --out feed':
      'needs the package: test/app/export.long.test.ts runs the export',
    'node partners.mjs http://127.0.0.1:4000 2026-11': 'test/app/export.long.test.ts runs it',
  },
  'docs/how-to/use-the-client.md': {
    'npm run build -- client': 'test/app/client-package.long.test.ts installs the package and runs the page',
    'node ask.mjs': 'the same',
    'node trade.mjs': 'the same',
    'node follow.mjs': 'the same',
  },
  'docs/how-to/use-other-clients.md': {
    'npm install @apollo/client@4.3.8 graphql@16.15.0 rxjs@7.8.2 graphql-sse@2.6.1':
      'the tree has the same versions: test/docs/other-clients.long.test.ts runs the page',
    'node apollo.mjs': 'the same',
    'npm install @urql/core@6.0.3 graphql@16.15.0 graphql-sse@2.6.1': 'the same',
    'node urql.mjs': 'the same',
    'npm install eventsource@3.0.7': 'the same',
    'node events.mjs': 'the same',
    'npm install typescript@5.9.3 tsx@4.23.15 graphql@16.15.0 @types/node@20.19.0':
      'the same test installs it',
    'npm install gql.tada@1.11.3': 'the same test installs it',
    'npx gql.tada generate-output': 'the same',
    'npm install @graphql-codegen/cli@7.4.3 @graphql-codegen/client-preset@6.2.0':
      'the same test installs it',
    'npx graphql-codegen --config codegen.ts': 'the same',
    'npm install relay-runtime@21.0.1 relay-compiler@21.0.1 @types/relay-runtime@20.1.1':
      'the same test installs it',
    'npx relay-compiler relay.config.json   # reads relay/Orders.ts': 'the same',
    'npm install openapi-typescript@7.13.0 openapi-fetch@0.17.0': 'the same test installs it',
    'npx openapi-typescript http://127.0.0.1:4000/openapi.json -o openapi.ts': 'the same',
  },
  'docs/how-to/partner-keys.md': {
    'ADMIN_API_KEY=a-long-random-text npm run dev':
      'starts the local stack: the page runs against the stack of the tests, which has this key',
  },
  'docs/how-to/web-push.md': {
    'node --import tsx src/app/commands/tradegraph.ts vapid-keys': 'test/app/settings.long.test.ts runs it',
  },
  'docs/how-to/behind-a-proxy.md': {
    'export TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8': 'a setting: test/docs/proxy.test.ts reads it',
  },
}

/** Code that is no file to be run, by page and name, and why. */
const notExecuted: Record<string, string> = {
  'docs/how-to/build-an-index.md feed.js': 'needs EventSource: test/rest/feed.test.ts reads the same stream',
  'docs/how-to/publish-to-nats.md trades.mjs': 'needs NATS: test/services/book-sinks.test.ts runs it',
  'docs/how-to/resume-streams.md balances.js':
    'a part of a page; test/tokens/account-balances.test.ts reads the same stream',
  'docs/how-to/resume-streams.md browser.js':
    'a part of a page; test/sse/protocol.test.ts sends what a browser sends when it connects again',
  'docs/how-to/use-the-client.md apollo.js':
    'a part of a page; test/client/errors.test.ts gives a document to Apollo Client',
  'docs/reference/graphql.md codegen.ts':
    'configuration of a command line that is no dependency; test/graphql/scalar-map.test.ts uses the same plugin and option',
}

const pages = readPages()
const schema = buildSchema(schemaText())

let world: World
let uid: string
beforeAll(async () => {
  world = await startWorld({
    roles: ['serve', 'index', 'auction', 'tower', 'deliver'],
    environment: {
      PUBLIC_URL: 'https://trade.example',
      CHANNEL_ALLOWED_HOSTS: '127.0.0.1',
      ADMIN_API_KEY: 'a-long-random-text',
      BOOK_FEED_ACCESS: 'public',
    },
  })
  const trader = createTrader(world.url, world.market)
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 17n, buyAmount: 1n } as const
  uid = (await trader.place(wish)).body
  await eventually('the order trades', async () => (await trader.order(uid)).status === 'fulfilled')
  // Notifications name tokens that are stored: in the local stack the test accounts have quoted them before.
  const { tokens, network } = world.market
  const addresses = Object.values(tokens).map((token) => token.address)
  const names = addresses.map(
    (at, index) => `t${index}: token(network: "sepolia", address: "${at}") { symbol }`,
  )
  await graphql(world.url, `{ ${names.join(' ')} }`)
  await eventually('the tokens are stored', async () => {
    const stored = await findTokens(world.database.db, network.chainId, addresses)
    return stored.size === addresses.length
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const languages = ['sh', 'graphql', 'js', 'ts', 'json', 'text', 'mermaid', 'nginx', 'haproxy']

test.each(pages.map((page) => [page.file, page] as const))(
  'every block of %s has a way to be tested',
  (file, page) => {
    for (const { language, name, text } of page.blocks) {
      expect(languages, `${file}: ${text}`).toContain(language)
      const isCode = language === 'js' || language === 'ts'
      if (isCode) expect(isFile(language, name) || `${file} ${name}` in notExecuted, text).toBe(true)
      if (isCode && !(`${file} ${name}` in notExecuted))
        expect(
          page.blocks.some((block) => block.language === 'sh' && block.text.includes(name)) ||
            importedBy(page, name),
          `${file} runs ${name}`,
        ).toBe(true)
      if (language === 'json')
        expect(isFile(language, name) || name === 'variables' || name in settingOf, `${file}: ${text}`).toBe(
          true,
        )
      // test/services/rolling.test.ts runs it.
      if (language === 'haproxy') expect(file).toBe('docs/how-to/deploy.md')
      if (language === 'nginx') expect(file).toBe('docs/how-to/behind-a-proxy.md')
    }
  },
)

function importedBy({ blocks }: Page, name: string): boolean {
  return blocks.some(({ text }) => text.includes(`from './${path.basename(name)}'`))
}

test('what is left out by name is there', () => {
  for (const [file, commands] of Object.entries(notRun)) {
    const lines = readPage(file)
      .blocks.filter(({ language }) => language === 'sh')
      .map(({ text }) => text.split('\n', 1)[0])
    expect(lines, file).toEqual(expect.arrayContaining(Object.keys(commands)))
  }
  for (const name of Object.keys(notExecuted)) {
    const [file = '', block] = name.split(' ')
    expect(readPage(file).blocks.map((one) => one.name)).toContain(block)
  }
})

describe('commands and programs', () => {
  const runnable = pages.filter(({ file, blocks }) =>
    blocks.some(({ language, text }) => language === 'sh' && !(firstLine(text) in (notRun[file] ?? {}))),
  )

  test.each(runnable.map((page) => [page.file, page] as const))(
    '%s, from top to bottom',
    async (file, page) => {
      using folder = openFolder(world)
      const { host } = new URL(world.url)
      const receiverPort = `${await freePort()}`
      const runs = await runPage(page, {
        folder: folder.path,
        adapt: (text) =>
          patient(text)
            .replaceAll(/(localhost|127\.0\.0\.1):4000/g, host)
            .replaceAll('8090', receiverPort),
        skips: (line) => line in (notRun[file] ?? {}),
      })
      for (const { commands, output, expected } of runs) {
        expect(output, commands).not.toMatch(/"errorType"|"errors":/)
        for (const [link] of output.matchAll(/^http:\S+$/gm))
          expect((await fetch(link)).status, link).toBe(200)
        if (expected !== undefined)
          expect(holdsInOrder(output, expected), `${commands}\nprints\n${output}\nand not\n${expected}`).toBe(
            true,
          )
      }
    },
    180_000,
  )
})

/** Commands in the prose of the tutorial that its blocks do not run, and what runs them. */
const inProse: Record<string, string> = {
  'npm run dev': 'test/app/crash.long.test.ts',
  'npm run dev -- --reset': 'test/app/crash.long.test.ts',
}

test('the tutorial runs the commands of its prose', () => {
  const page = readPage('docs/tutorial.md')
  const lines = page.blocks.flatMap(({ language, text }) => (language === 'sh' ? text.split('\n') : []))
  const commands = [...proseOf(page).matchAll(/`((?:node|npm|npx|kill|curl) [^`]+)`/g)].map(
    ([, text]) => text,
  )
  expect(commands.filter((command = '') => !lines.includes(command) && !(command in inProse))).toEqual([])
})

/** A machine that runs other tests takes longer than the reader's. */
function patient(text: string): string {
  return text.replaceAll(/^(sleep|timeout) (\d+)/gm, (_, command, seconds) => `${command} ${2 * seconds}`)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

describe('GraphQL documents', () => {
  const documents = pages.flatMap(({ file, blocks }) =>
    blocks.flatMap(({ language, text }, index) => {
      const next = blocks[index + 1]
      const variables = next?.name === 'variables' ? next.text : undefined
      return language === 'graphql' ? [[`${file}, block ${index + 1}`, text, variables] as const] : []
    }),
  )

  test.each(documents)('%s', async (_, text, variables) => {
    const document = parse(text)
    expect(validate(schema, document).map(({ message }) => message)).toEqual([])
    // Streams do not end. Channels need a session, and webhooks a key: test/app/webhooks.test.ts and
    // test/services/book-sinks.test.ts create them.
    if (/^\s*subscription|subscribeChannel\(|createBookWebhook\(/.test(text)) return
    const given = variables === undefined ? await variablesFor(text) : JSON.parse(variables)
    const answer = await graphql(world.url, text, given)
    for (const value of Object.values(answer)) expect(value).not.toBeNull()
  })
})

/** Values for the variables that documents declare, by name and type. */
async function variablesFor(text: string): Promise<Record<string, unknown>> {
  const { tokens, accounts } = world.market
  const [account] = accounts
  const known: Record<string, () => unknown> = {
    'uid: OrderUid!': () => uid,
    'account: Address!': () => account?.address,
    'owner: Address!': () => account?.address,
    'input: QuoteInput!': () => ({
      from: account?.address,
      sellToken: tokens.WETH.address,
      buyToken: tokens.USDC.address,
      amount: { sellBeforeFee: '1000000000000000000' },
      validity: { validFor: 600 },
    }),
    'order: PlaceOrderInput!': signedOrder,
    'place: String': () => 'earliest',
  }
  const declared = [...text.matchAll(/\$(\w+): ([\w!]+)/g)]
  return Object.fromEntries(
    await Promise.all(
      declared.map(async ([, name = '', type]) => {
        const value = known[`${name}: ${type}`]
        if (!value) throw new GraphQLError(`no value for $${name}: ${type}`)
        return [name, await value()]
      }),
    ),
  )
}

async function signedOrder() {
  const trader = createTrader(world.url, world.market, 1)
  const signed = await trader.sign({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: 10n ** 17n,
    buyAmount: 10n ** 9n,
  })
  return {
    ...signed,
    kind: signed.kind.toUpperCase(),
    signingScheme: 'EIP712',
    sellTokenBalance: 'ERC20',
    buyTokenBalance: 'ERC20',
  }
}

/** JSON blocks named after a setting are read as that setting. */
const settingOf: Record<string, (text: string) => unknown> = Object.fromEntries(
  ['QUOTE_ESTIMATORS', 'SOLVERS', 'USD_PRICE_SOURCES', 'HOLDER_SOURCES', 'FEE_POLICIES'].map((name) => [
    name,
    (text: string) => readSettings({ [name]: text })[name as 'FEE_POLICIES'],
  ]),
)

describe('configuration', () => {
  const blocks = pages.flatMap(({ file, blocks }) =>
    blocks
      .filter(({ language }) => language === 'json')
      .map((block) => [`${file} ${block.name}`, block] as const),
  )

  test.each(blocks)('%s', (_, { name, text }) => {
    expect(JSON.parse(text)).toBeTypeOf('object')
    const read = settingOf[name]
    if (read) expect(read(text)).toHaveLength(JSON.parse(text).length)
    if (name === 'networks.json') {
      using folder = openFolder(world)
      const file = path.join(folder.path, name)
      writeFileSync(file, text)
      expect(readNetworks(file, 'production')).toHaveLength(1)
    }
  })

  test('the environment of a real network', () => {
    const { blocks } = readPage('docs/how-to/run-on-a-real-network.md')
    const exports = blocks.flatMap(({ text }) => [...text.matchAll(/^export (\w+)=(\S+)$/gm)])
    const settings = readSettings(Object.fromEntries(exports.map(([, name, value]) => [name, value])))
    expect(settings).toMatchObject({ NETWORKS_FILE: 'networks.json' })
  })
})

test('the solver of the how-to page answers as the service reads it', async () => {
  const engine = readPage('docs/how-to/add-a-solver.md').blocks.find(({ name }) => name === 'engine.mjs')
  using folder = openFolder(world)
  const text = (engine?.text ?? '')
    .replace('8080', '0')
    .replace("console.log('listening')", 'console.log(server.address().port)')
  writeFileSync(path.join(folder.path, 'engine.mjs'), text)
  const child = spawn(process.execPath, ['engine.mjs'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
    const { tokens, network } = world.market
    const pool: Pool = {
      address: numbered('d1'),
      token0: tokens.USDC.address,
      token1: tokens.WETH.address,
      reserve0: 30_000_000n * 10n ** 6n,
      reserve1: 10_000n * 10n ** 18n,
    }
    const question = {
      kind: 'sell',
      sellToken: tokens.WETH.address,
      buyToken: tokens.USDC.address,
      amount: 10n ** 18n,
    } as const
    const auction = writeAuction({
      id: null,
      orders: [quoteOrder(question)],
      pools: [pool],
      tokens: new Map(),
      referencePrice: () => null,
      gasPrice: 1n,
      deadline: new Date(Date.now() + 2_000),
    })
    const { body } = await request(`http://127.0.0.1:${String(port).trim()}/solve`, 'POST', auction)
    const answer = parseEngineAnswer(body)
    const solutions = 'solutions' in answer ? answer.solutions : []
    const claim = readEngineQuote(solutions, question, { ...network, name: 'engine', pools: [pool] })
    expect(claim).toMatchObject({ buyAmount: poolOutputDown(pool, tokens.WETH.address, 10n ** 18n) })
  } finally {
    child.kill()
  }
})
