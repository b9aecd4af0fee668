import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer'
import { createLimiter } from '../concurrency/limiter.ts'
import type { Clock, Log } from '../domain/log.ts'
import { OutsideFault } from './fault.ts'
import { createHealth } from './health.ts'

/** Sends e-mails through the operator's SMTP server. */
export interface Mailer {
  /**
   * Sends an e-mail. Time, connections and waiting e-mails are limited.
   * @throws Outage if the server cannot be reached
   */
  send(mail: SendMailOptions): Promise<MailOutcome>
}

/** The answer of the server. `enhanced`: the status code of RFC 3463, if it gave one. */
export interface MailOutcome {
  status: number
  enhanced: string | null
  /**
   * True if the server refused the recipient, false if it refused the e-mail as such. The flag has no meaning
   * for an accepted e-mail.
   */
  isRecipient: boolean
}

/** The time limit of each step of an exchange. */
const stepTimeoutMs = 10_000
/**
 * The time limits of the wait for a connection, and of a whole exchange. Together they are shorter than a
 * lease.
 */
const waitTimeoutMs = 20_000
const exchangeTimeoutMs = 25_000
const maxConnections = 8
const maxWaiting = 200
/** The time after which unused connections are closed. */
const idleMs = 5_000
const name = 'SMTP'
/** The limits of the breaker, so that not every channel tries an unavailable server. */
const limits = {
  failures: 5,
  pauseMs: { min: 1_000, max: 30_000 },
  backOffMs: { min: 1_000, max: 30_000 },
  atOnce: maxConnections,
}

/**
 * Creates a mailer.
 * @param url smtp:// or smtps://, with user and password if needed: these are not sent to another machine
 *   without TLS
 */
export function createMailer({ url, now, log }: { url: string; now: Clock; log: Log }): Mailer {
  const inTurn = createLimiter({ what: 'the SMTP server', running: maxConnections, waiting: maxWaiting })
  const health = createHealth({ name, limits, now, log })
  let transport: Transporter | undefined
  let running = 0
  let closing: NodeJS.Timeout | undefined

  function closeLater(): void {
    closing = setTimeout(() => {
      transport?.close()
      transport = undefined
    }, idleMs).unref()
  }

  async function exchange(mail: SendMailOptions): Promise<MailOutcome> {
    clearTimeout(closing)
    transport ??= openTransport(url)
    running++
    let late: NodeJS.Timeout | undefined
    try {
      const sent = transport.sendMail({ ...mail, disableFileAccess: true, disableUrlAccess: true })
      const timeout = new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new OutsideFault(name, 'no answer in time')), exchangeTimeoutMs)
      })
      return answerOf((await Promise.race([sent, timeout])).response ?? '250', false)
    } catch (fault) {
      return outcomeOf(fault)
    } finally {
      clearTimeout(late)
      if (--running === 0) closeLater()
    }
  }

  return {
    send(mail) {
      const asked = performance.now()
      return inTurn(() => {
        if (performance.now() - asked > waitTimeoutMs) throw new OutsideFault(name, 'too much waits for it')
        return health.ask(() => exchange(mail))
      })
    },
  }
}

/** Opens a transport. Faults of unused connections affect no caller. */
function openTransport(text: string): Transporter {
  return createTransport(optionsOf(new URL(text))).on('error', () => undefined)
}

function optionsOf(url: URL) {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isSecure = url.protocol === 'smtps:'
  return {
    pool: true,
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
      requireTLS: !isSecure && !/^(localhost|127\.[\d.]+|::1)$/.test(host),
    }),
    maxConnections,
    maxMessages: 1_000,
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
  } as const
}

/**
 * The outcome of a refusal of this recipient or e-mail.
 * @throws OutsideFault for anything else, without text of the server, which may contain addresses
 */
function outcomeOf(fault: unknown): MailOutcome {
  if (fault instanceof OutsideFault) throw fault
  const { code = '', response, responseCode, command } = fault as Record<string, string | undefined>
  const isMails = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (isMails && responseCode !== undefined && response !== undefined && Number(responseCode) !== 421)
    return answerOf(response, command === 'RCPT TO')
  if (isMails && responseCode === undefined) throw new TypeError(`a mail cannot be sent: ${code}`)
  throw new OutsideFault(name, /^\w{1,40}$/.test(code) ? `no connection (${code})` : 'no connection')
}

function answerOf(response: string, isRecipient: boolean): MailOutcome {
  const [, status = '0', enhanced = null] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(response) ?? []
  return { status: Number(status), enhanced, isRecipient }
}
