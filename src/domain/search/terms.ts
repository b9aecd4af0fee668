import { diagnosisTexts } from '../diagnosis/code.ts'
import { notificationTexts } from '../notification/texts.ts'
import { orderEventTexts, standingTexts } from '../order/event.ts'
import { orderStatusTexts } from '../order/status.ts'
import { diagnosisTexts as programmaticTexts } from '../programmatic/diagnosis.ts'
import { generatorStatusTexts, partStatusTexts } from '../programmatic/statuses.ts'
import { screaming } from '../text/spelling.ts'

/** A code or a name of this service with its meaning. */
export interface Term {
  /** The spelling of GraphQL, or of the environment. */
  name: string
  /** The group of names that it belongs to. */
  kind: string
  meaning: string
  advice?: string
}

const listed = (
  kind: string,
  texts: Readonly<Record<string, string | { meaning: string; advice: string }>>,
) =>
  Object.entries(texts).map(([value, text]): Term => {
    const { meaning, ...more } = typeof text === 'string' ? { meaning: text } : text
    return { name: screaming(value), kind, meaning, ...('advice' in more && { advice: more.advice }) }
  })

/** Codes of diagnoses, statuses, events, notifications, and reasons why no auction holds an order. */
const terms: readonly Term[] = [
  ...listed('Why an order is not filled, or how it ended', diagnosisTexts),
  ...listed('Status of an order', orderStatusTexts),
  ...listed('Step in the history of an order', orderEventTexts),
  ...listed('Why no auction holds an order', standingTexts),
  ...listed('Why a programmatic order goes on or not', programmaticTexts),
  ...listed('Status of a programmatic order', generatorStatusTexts),
  ...listed('Status of a part of a programmatic order', partStatusTexts),
  ...listed('Notification', notificationTexts),
]

/** A name without upper case, underscores and spaces. */
const squeezed = (name: string) => name.toLowerCase().replace(/[^a-z\d]+/g, '')

/** The terms that a whole text is. */
export function termsNamed(text: string): Term[] {
  const name = squeezed(text)
  return name === '' || text.length > 200 ? [] : terms.filter((term) => squeezed(term.name) === name)
}

/** The terms in a text: of several words written as one, or as the value of a code. */
export function termsIn(text: string): Term[] {
  const written = (text.match(/\w+/g) ?? []).filter((word) => /_|[a-z][A-Z]/.test(word))
  const values = text.matchAll(/"(?:code|label|status|reason)\\?"\s{0,9}:\s{0,9}\\?"(\w{1,80})/g)
  const names = new Set([...written, ...[...values].map(([, value = '']) => value)].map(squeezed))
  return terms.filter((term) => names.has(squeezed(term.name))).slice(0, 10)
}

/** The setting that a whole text names. @param settings each name with its description */
export function settingNamed(text: string, settings: Readonly<Record<string, string>>): Term | undefined {
  const wanted = squeezed(text)
  const found = Object.entries(settings).find(([name]) => squeezed(name) === wanted)
  return (
    found && { name: found[0], kind: 'Setting of the service, an environment variable', meaning: found[1] }
  )
}
