/** Shortest secret; shorter values would be found in any text. */
export const minSecretLength = 8
/** Shortest secret in a part of a path: providers put their keys there. */
const minPathLength = 16
const mark = '[redacted]'

const isPathSecret = (part: string) => part.length >= minPathLength

/** Parts of a URL that may be secret: password, a user without one, query values, long parts of the path. */
export function secretsOfUrl(text: string): string[] {
  if (!/^[a-z]{2,12}:\/\//i.test(text) || !URL.canParse(text)) return []
  const { protocol, username, password, searchParams, pathname } = new URL(text)
  // The user of a database is no secret.
  const user = password === '' && /^https?:$/.test(protocol) ? username : ''
  const parts = pathname.split('/').filter(isPathSecret)
  return [user, password, ...parts].flatMap((part) => [part, decoded(part)]).concat(...searchParams.values())
}

/** Writes a URL without its secrets. */
export function withoutSecrets(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  if (!url.pathname.split('/').some(isPathSecret)) return url.href
  const path = url.pathname.split('/').map((part) => (isPathSecret(part) ? mark : part))
  return `${url.origin}${path.join('/')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Creates a function that removes secrets from a text: as they are, percent-encoded or escaped in JSON at any
 * of their characters, in hex, and in Base64 (also that of URLs) at any place of what is encoded.
 */
export function createMask(secrets: readonly string[]): (text: string) => string {
  // Longest first: one may begin with another.
  const known = [...new Set(secrets.filter(({ length }) => length >= minSecretLength))].sort(
    (one, other) => other.length - one.length,
  )
  const plain = [...new Set(known.flatMap((secret) => [secret, secret.toLowerCase(), bytesOf(secret)]))]
  const hex = known.flatMap((secret) => {
    const digits = Buffer.from(secret).toString('hex')
    return [digits, digits.toUpperCase()]
  })
  const base64 = known.flatMap(base64Forms)
  return (text) => {
    let hidden = text
    for (const form of [...plain, ...hex]) hidden = hidden.replaceAll(form, mark)
    for (const form of base64) hidden = withoutBase64(hidden, form)
    return escapes.test(hidden) ? withoutEscaped(hidden, plain) : hidden
  }
}

/** A text whose characters are the bytes, as they are when each `%XX` is read alone. */
const bytesOf = (secret: string) => Buffer.from(secret).toString('latin1')

const escapes = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\["\\/]/i
const allEscapes = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\["\\/]/gi

function unescaped(sequence: string): string {
  if (sequence.startsWith('%')) return String.fromCharCode(Number.parseInt(sequence.slice(1), 16))
  if (sequence.startsWith('\\u')) return String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
  return sequence.slice(1)
}

/** Removes secrets of which some characters are escaped. */
function withoutEscaped(text: string, secrets: readonly string[]): string {
  const read = text.replace(allEscapes, unescaped)
  const found = secrets.filter((secret) => read.includes(secret))
  if (found.length === 0) return text
  // Where each character of what was read is written.
  const places: number[] = []
  let at = 0
  for (const { 0: sequence, index } of text.matchAll(allEscapes)) {
    while (at < index) places.push(at++)
    places.push(at)
    at += sequence.length
  }
  while (at <= text.length) places.push(at++)
  const ranges = found.flatMap((secret) => {
    const starts: number[] = []
    for (let from = read.indexOf(secret); from >= 0; from = read.indexOf(secret, from + secret.length))
      starts.push(from)
    return starts.map((from) => ({
      from: places[from] ?? 0,
      to: places[from + secret.length] ?? text.length,
    }))
  })
  let [hidden, end] = ['', 0]
  for (const { from, to } of ranges.sort((one, other) => one.from - other.from)) {
    if (from >= end) hidden += `${text.slice(end, from)}${mark}`
    end = Math.max(end, to)
  }
  return hidden + text.slice(end)
}

interface Base64Form {
  /** The characters that come from the secret alone. */
  text: string
  /** True if the character before or behind also has bits of it. */
  before: boolean
  behind: boolean
}

/** A secret in Base64, after 0, 1 or 2 bytes of something else. */
function base64Forms(secret: string): Base64Form[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const from = offset === 0 ? 0 : offset + 1
    const bits = (offset + bytes.length) * 8
    const text = encoded.slice(from, Math.floor(bits / 6))
    const both = [text, text.replaceAll('+', '-').replaceAll('/', '_')]
    return [...new Set(both)].map((text) => ({ text, before: offset > 0, behind: bits % 6 > 0 }))
  })
}

function withoutBase64(text: string, { text: form, before, behind }: Base64Form): string {
  let [hidden, end] = ['', 0]
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, end)) {
    const from = before && at > end && isBase64(text[at - 1]) ? at - 1 : at
    const to = at + form.length
    hidden += `${text.slice(end, from)}${mark}`
    end = behind && isBase64(text[to]) ? to + 1 : to
  }
  return hidden + text.slice(end)
}

const isBase64 = (character = '') => /^[A-Za-z0-9+/_-]$/.test(character)
