import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

interface ReceivedMail extends ParsedMail {
  /** As it came, with the headers. */
  raw: string
  recipients: string[]
}

export interface MailServer extends AsyncDisposable {
  url: string
  received: ReceivedMail[]
  /** Connections that were opened. */
  connections: number
  /** Users who logged in, with their passwords. */
  logins: string[]
  /** Refuses recipients with this answer. */
  refusesRecipients: string | undefined
  /** Refuses mails with this answer, after it has kept them. */
  refusesMails: string | undefined
}

/** An SMTP server that keeps what it is sent. */
export async function startMailServer(): Promise<MailServer> {
  const fail = (answer: string) => {
    const [code, ...words] = answer.split(' ')
    return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) })
  }
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 10,
    onConnect(_session, done) {
      mails.connections++
      done()
    },
    onAuth({ username, password }, _session, done) {
      mails.logins.push(`${username}:${password}`)
      done(null, { user: username })
    },
    onRcptTo(_address, _session, done) {
      done(mails.refusesRecipients === undefined ? undefined : fail(mails.refusesRecipients))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        mails.received.push({ ...(await simpleParser(raw)), raw, recipients })
        done(mails.refusesMails === undefined ? undefined : fail(mails.refusesMails))
      })
    },
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.server.address() as AddressInfo
  const mails: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    received: [],
    connections: 0,
    logins: [],
    refusesRecipients: undefined,
    refusesMails: undefined,
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(closed)),
  }
  return mails
}
