/** Members of the settings that hold a secret, by the end of their name. */
const secretName = /(key|secret|token|password)$/i
const publicName = /public_?key$/i
const address = /^0x[0-9a-f]{40}$/i
/** Shorter values are no secrets, and would be found in any text. */
const leastLength = 8
/** Of a part of a path: providers of nodes put their keys there. */
const leastPathLength = 16

/** Every secret that settings and networks hold: keys, and what URLs have in them. */
export function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    const isSecret = secretName.test(name) && !publicName.test(name) && !address.test(value)
    return [...(isSecret ? [value] : []), ...secretsOfUrl(value)].filter(
      ({ length }) => length >= leastLength,
    )
  }
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, name))
  if (typeof value !== 'object' || value === null) return []
  // Each header for a receiver may be its key.
  const isHeaders = name === 'TRACES_HEADERS'
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(inner, isHeaders ? 'key' : member))
}

function secretsOfUrl(text: string): string[] {
  if (!/^[a-z]{2,12}:\/\//i.test(text) || !URL.canParse(text)) return []
  const { password, searchParams, pathname } = new URL(text)
  const parts = pathname.split('/').filter(({ length }) => length >= leastPathLength)
  return [password, safelyDecoded(password), ...searchParams.values(), ...parts]
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const credentials = /(\b[a-z]{2,12}:\/\/[^\s:/@"]{0,100}):[^\s/@"]{1,200}@/gi

/** Takes secrets out of a line of JSON, and passwords out of any URL in it. */
export function createRedaction(secrets: readonly string[]): (line: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    secret.toLowerCase(),
    JSON.stringify(secret).slice(1, -1),
  ])
  // The longest first: one may begin with another.
  const distinct = [...new Set(forms)].sort((one, other) => other.length - one.length)
  return (line) => {
    let hidden = line
    for (const secret of distinct) hidden = hidden.replaceAll(secret, '[redacted]')
    return hidden.includes('@') ? hidden.replace(credentials, '$1:[redacted]@') : hidden
  }
}
