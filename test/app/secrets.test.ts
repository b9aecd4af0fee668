import { expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { createLog, secretsIn } from '../../src/app/observing/log.ts'
import { numbered } from '../fakes/order.ts'

const privateKey = (digit: string) => `0x${digit.repeat(64)}`
/** Every setting that holds a secret, and the secret. */
const environment = {
  DATABASE_URL: 'postgres://trader:p%40ss-of-database@db.internal:5432/trade',
  METRICS_KEY: 'metrics-key-0123456789',
  ADMIN_API_KEY: 'admin-key-0123456789',
  CMS_API_KEY: 'cms-key-0123456789ab',
  SOLVER_PRIVATE_KEY: privateKey('A'),
  REFUND_PRIVATE_KEY: privateKey('b'),
  ACCESS_LOG_KEY: 'access-log-key-0123456789',
  TRACES_URL: 'http://127.0.0.1:4318/v1/traces',
  TRACES_HEADERS: '{"x-honey":"traces-key-0123"}',
  NATS_URL: 'nats://feed:nats-password-1@127.0.0.1:9',
  SMTP_URL: 'smtps://mailer:smtp-password-1@mail.internal',
  SMTP_FROM: 'Desk <desk@example.org>',
  PUBLIC_URL: 'https://example.org',
  TELEGRAM_BOT_TOKEN: '123456789:telegram-bot-token-of-the-tests-00',
  TELEGRAM_WEBHOOK_SECRET: 'telegram-webhook-secret-01',
  DUNE_API_KEY: 'dune-key-0123456789',
  USD_PRICE_SOURCES: '[{"kind":"coingecko","apiKey":"coingecko-key-01"}]',
  HOLDER_SOURCES: '[{"kind":"moralis","apiKey":"moralis-key-0123"}]',
  QUOTE_ESTIMATORS: `[{"kind":"driver","name":"x","url":"https://x.org/?auth=estimator-key-01","address":"${numbered('a1')}"}]`,
  SOLVERS: `[{"kind":"engine","name":"y","url":"https://y.org/engine-key-in-its-path","privateKey":"${privateKey('c')}"}]`,
}
const secrets = [
  'p@ss-of-database',
  'p%40ss-of-database',
  'metrics-key-0123456789',
  'admin-key-0123456789',
  'cms-key-0123456789ab',
  privateKey('a'),
  privateKey('b'),
  privateKey('c'),
  'traces-key-0123',
  'access-log-key-0123456789',
  'smtp-password-1',
  '123456789:telegram-bot-token-of-the-tests-00',
  'telegram-webhook-secret-01',
  'dune-key-0123456789',
  'coingecko-key-01',
  'moralis-key-0123',
  'estimator-key-01',
  'engine-key-in-its-path',
  'node-key-in-a-path-0123',
  'node-key-in-query',
]

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const networks = [
    { rpcUrl: ['https://node.org/v3/node-key-in-a-path-0123', 'https://n.org?k=node-key-in-query'] },
  ]
  const lines: string[] = []
  const known = secretsIn([readSettings(environment), networks])
  write(createLog('info', known, { write: (line) => void lines.push(line) }))
  return lines.join('')
}

test.each(secrets)('the secret %s is in no line, wherever it stands', (secret) => {
  const text = logged((log) => {
    log.error(`asked ${secret}`, { cause: new Error(`to ${secret}!`).stack, deep: { list: [`x${secret}y`] } })
    log.info('quoted', { [secret]: JSON.stringify({ secret }) })
  })
  expect(text).toContain('[redacted]')
  expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
})

test('passwords in URLs that are no settings are taken out too', () => {
  const text = logged((log) =>
    log.warn('lost', { at: 'redis://user:other-pass@10.0.0.1:6379/0 and postgres://:x@h' }),
  )
  expect(text).toContain('redis://user:[redacted]@10.0.0.1:6379/0 and postgres://:[redacted]@h')
})

test('what is no secret stays: addresses, hashes, public keys, hosts', () => {
  const fields = { account: numbered('a1'), txHash: privateKey('9'), host: 'db.internal', key: 'sepolia' }
  expect(JSON.parse(logged((log) => log.info('sent', fields)))).toMatchObject({ ...fields, msg: 'sent' })
})
