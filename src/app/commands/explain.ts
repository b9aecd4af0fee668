import type { ExplainedError } from '../../domain/errors/error-explanations.ts'
import type { ForeignError } from '../../domain/errors/foreign-errors.ts'
import { type SignatureMistake, signatureMistakes } from '../../domain/signing/signature-mistake.ts'
import { diagnosisLines, orderLines, storyLines, storyOf } from './order-text.ts'
import {
  CommandFault,
  type ExplainedOrder,
  exitCodes,
  explainDocument,
  queryService,
  type Service,
} from './service.ts'

export interface Output {
  /** One line. */
  print(line: string): void
  json: boolean
}

/** Prints why an order is not filled, and its story. @throws CommandFault */
export async function explain(uid: string, service: Service, { print, json }: Output): Promise<void> {
  const { order } = await queryService<{ order: ExplainedOrder | null }>(service, explainDocument, { uid })
  if (!order) throw new CommandFault(exitCodes.unknown, `there is no order ${uid}`)
  const { diagnosis, events, debugReport: _, trades, ...facts } = order
  const story = storyOf(order)
  const isWhole = !events.pageInfo.hasPreviousPage
  if (json)
    return print(jsonLine({ ...facts, diagnosis, story, isWholeStory: isWhole, trades: trades.nodes }))
  const heading = isWhole ? 'what happened' : 'what happened, the newest part'
  for (const line of [
    ...orderLines(order),
    '',
    ...diagnosisLines(diagnosis, order),
    '',
    heading,
    ...storyLines(story).map((step) => `  ${step}`),
  ])
    print(line)
}

/**
 * Prints the meaning of errors and advice, in the words of the pages.
 * @param mistake signing mistake, named by the text of the first error
 */
export function explainErrors(
  errors: readonly (ExplainedError | ForeignError)[],
  { print, json }: Output,
  mistake?: SignatureMistake,
): void {
  for (const [index, error] of errors.entries()) {
    const { meaning, advice, outcome } = error
    const name = 'code' in error ? { code: error.code } : { title: error.title }
    const named = index === 0 && mistake ? { mistake, mistakeMeaning: signatureMistakes[mistake] } : undefined
    const lines = [
      ...Object.values(name),
      `  ${meaning}`,
      ...(named ? [`  The text names the mistake ${named.mistake}: ${named.mistakeMeaning}`] : []),
      `  What to do: ${advice}`,
      `  ${outcome}`,
    ]
    if (json) print(jsonLine({ ...name, meaning, ...named, advice, outcome }))
    else for (const line of index > 0 ? ['', ...lines] : lines) print(line)
  }
}

/** One line of JSON without characters that control a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

const escaped = (character: string) =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')
