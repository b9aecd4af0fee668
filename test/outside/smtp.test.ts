import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMailer } from '../../src/outside/smtp.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { type MailServer, startMailServer } from '../setup/mail-server.ts'

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  server.received.splice(0)
  server.logins.splice(0)
})

const mailerOf = (url: string) => createMailer({ url, now: Date.now, log: silentLog })
const mail = { from: 'a@trade.example', to: 'b@mail.example', subject: 'One', text: 'Text' }
const withUser = (host: string) => `smtp://me:p%40ss@${host}:${new URL(server.url).port}`

test('a user and a password are sent to this machine without TLS, and to no other', async () => {
  await mailerOf(withUser('127.0.0.1')).send(mail)
  expect(server.logins).toEqual(['me:p@ss'])
  // Another name of this machine, which is not known to be one.
  await expect(mailerOf(withUser('0.0.0.0')).send(mail)).rejects.toThrow('SMTP is unavailable')
  expect([server.logins.length, server.received.length]).toEqual([1, 1])
})

test('mails share a few connections', async () => {
  const before = server.connections
  const mailer = mailerOf(server.url)
  await Promise.all(Array.from({ length: 50 }, () => mailer.send(mail)))
  expect(server.received).toHaveLength(50)
  expect(server.connections - before).toBeLessThanOrEqual(8)
})

test('a server that fails five times in a row is left alone for a while', async () => {
  const mailer = mailerOf('smtp://127.0.0.1:1')
  const reasons = []
  for (let times = 0; times < 6; times++)
    reasons.push(await mailer.send(mail).catch(({ reason }: { reason: string }) => reason))
  expect(reasons).toEqual([
    ...Array.from({ length: 5 }, () => 'no connection (ESOCKET)'),
    'is paused after failures',
  ])
})

test('files and addresses in a mail are not read', async () => {
  const attached = { ...mail, attachments: [{ path: '/etc/hostname' }] }
  await expect(mailerOf(server.url).send(attached)).rejects.toThrow()
  expect(server.received).toEqual([])
})
