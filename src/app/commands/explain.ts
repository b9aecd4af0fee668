import type { ExplainedError } from '../../domain/errors/error-explanations.ts'
import { errorCodes } from '../../domain/errors/error-explanations.ts'
import type { ForeignError } from '../../domain/errors/foreign-errors.ts'
import type { Meaning, Unclear } from '../../domain/search/meaning.ts'
import { orderQuestionText } from '../../domain/search/order-question.ts'
import {
  type FoundProgrammatic,
  programmaticDocument,
  programmaticOf,
} from '../../domain/search/programmatic.ts'
import { secretTexts, sentTexts } from '../../domain/search/secret.ts'
import { type FoundToken, tokensDocument, tokensNamed, tokensOfWord } from '../../domain/search/tokens.ts'
import type { Topic } from '../../domain/search/topics.ts'
import { type SignatureMistake, signatureMistakes } from '../../domain/signing/signature-mistake.ts'
import { plain } from '../../domain/text/readable.ts'
import { nearestName } from '../settings/setting-readers.ts'
import { diagnosisLines, orderLines, storyLines, storyOf } from './order-text.ts'
import {
  CommandFault,
  type ExplainedOrder,
  exitCodes,
  explainDocument,
  queryService,
  type Service,
  shownUrl,
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
  const {
    diagnosis,
    events,
    debugReport: { auctions },
    trades,
    ...facts
  } = order
  const steps = storyOf(order)
  const story = steps.map(({ words: _, ...step }) => step)
  const areAttemptsKnown = auctions.nodes.every(({ hasAllSettlementAttempts }) => hasAllSettlementAttempts)
  const isKnown = events.isComplete && auctions.isComplete && areAttemptsKnown
  const isWhole = !events.pageInfo.hasPreviousPage && isKnown
  if (json)
    return print(jsonLine({ ...facts, diagnosis, story, isWholeStory: isWhole, trades: trades.nodes }))
  const part = isKnown ? 'the newest part' : 'as far as this service knows'
  const heading = isWhole ? 'what happened' : `what happened, ${part}`
  for (const line of [
    ...orderLines(order),
    '',
    ...diagnosisLines(diagnosis, order),
    '',
    heading,
    ...storyLines(steps).map((step) => `  ${step}`),
  ])
    print(line)
}

const hashDocument = `query ($id: ID!) { programmaticOrder(id: $id) {
  id hash owner resolvedOwner type status filledParts partCount network { name } diagnosis { code text } } }`

interface ProgrammaticAnswer extends FoundProgrammatic {
  resolvedOwner: string
  type: string
  status: string
  filledParts: number
  partCount: number | null
  network: { name: string }
  diagnosis: { code: string; text: string }
}

/**
 * Prints the state of programmatic orders with a hash, of which the first bytes are sent.
 * @throws CommandFault
 */
export async function explainHash(hash: string, service: Service, { print, json }: Output): Promise<void> {
  const found = await programmaticOf(hash, async (beginning) => {
    type Found = { programmaticOrders: { nodes: FoundProgrammatic[] } }
    return (await queryService<Found>(service, programmaticDocument, { hash: beginning })).programmaticOrders
      .nodes
  })
  if (found.length === 0)
    throw new CommandFault(exitCodes.unknown, 'there is no programmatic order with this hash', {
      advice: [
        'Only its first 8 digits were sent: a private key has the same form.',
        'The orders of a transaction are on its search page.',
      ],
    })
  for (const { id } of found) {
    type One = { programmaticOrder: ProgrammaticAnswer | null }
    const { programmaticOrder: order } = await queryService<One>(service, hashDocument, { id })
    if (!order) continue
    const page = `${shownUrl(service.url)}/programmatic/${order.id}`
    const { type, status, network, owner, filledParts, partCount, diagnosis } = order
    const lines = [
      `programmatic order ${order.hash}`,
      `  ${type} on ${network.name}, ${status}, of ${owner}`,
      `  filled: ${filledParts}${partCount === null ? '' : ` of ${partCount}`} parts`,
      `  ${diagnosis.code}: ${diagnosis.text}`,
      `  ${page}`,
    ]
    if (json) print(jsonLine({ ...order, page }))
    else for (const line of lines) print(plain(line))
  }
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

/**
 * Prints the answer to a text in words, as the search of the first page has it.
 * @returns the meaning of a text without an answer
 * @throws CommandFault
 */
export async function explainMeaning(
  meaning: Meaning,
  service: Service,
  output: Output & { warn(line: string): void },
): Promise<Unclear | undefined> {
  const { print, json, warn } = output
  const say = (value: object, lines: readonly string[]) => {
    if (json) print(jsonLine(value))
    else for (const line of lines) print(plain(line))
  }
  const page = (path: string) => `${shownUrl(service.url)}/${path}`
  switch (meaning.kind) {
    case 'secret': {
      const { title, meaning: text, advice } = secretTexts[meaning.secret]
      const inHistory = 'The shell may keep the command in its history: remove it there.'
      throw new CommandFault(exitCodes.usage, title, {
        advice: [`${text} ${sentTexts.nowhere}`, advice, inHistory],
      })
    }
    case 'ens':
      throw new CommandFault(
        exitCodes.usage,
        'names are not looked up: give the address that the name stands for',
      )
    case 'auction':
      say({ auction: meaning.id, page: page(`auctions/${meaning.id}`) }, [page(`auctions/${meaning.id}`)])
      return undefined
    case 'terms':
      explainErrors(meaning.errors, output)
      for (const { advice, ...term } of meaning.terms)
        say({ ...term, advice }, [
          term.name,
          `  ${term.kind}`,
          `  ${term.meaning}`,
          ...(advice === undefined ? [] : [`  What to do: ${advice}`]),
        ])
      explainTopics(meaning.topics)
      return explainWord(meaning.word)
    case 'topics':
      explainTopics(meaning.topics)
      return explainWord(meaning.word)
    case 'errors':
      explainErrors(meaning.errors, output)
      return undefined
    case 'tokens': {
      const { names, topics, otherwise } = meaning
      const isMisspelt = nearestName(names.join(' '), errorCodes) !== undefined
      const isAnswered = topics.length > 0 || otherwise.kind !== 'nothing' || isMisspelt
      const groups = await lookedUp(() => tokensNamed(names, readTokens), isAnswered)
      const tokens = groups?.flat() ?? []
      explainTokens(tokens)
      return tokens.length > 0 || topics.length > 0 ? explainTopics(topics) : explainUnclear(otherwise)
    }
    default:
      return explainUnclear(meaning)
  }

  /** Answers a question about an order that is not named. */
  function explainUnclear(unclear: Unclear): Unclear | undefined {
    return unclear.kind === 'question' ? explainTopics([orderQuestion]) : unclear
  }

  async function readTokens(search: string) {
    const { networks } = await queryService<Tokens>(service, tokensDocument, { search })
    return networks
  }

  /** Reads tokens. If the text has another answer, that answer is enough: a fault is a warning. */
  async function lookedUp<Value>(
    read: () => Promise<Value>,
    isAnswered: boolean,
  ): Promise<Value | undefined> {
    return read().catch((fault) => {
      if (!(fault instanceof CommandFault && isAnswered)) throw fault
      warn(`tradegraph: tokens were not looked up: ${plain(fault.message)}`)
      return undefined
    })
  }

  async function explainWord(word: string | undefined): Promise<undefined> {
    if (word === undefined) return
    explainTokens((await lookedUp(() => tokensOfWord(word, readTokens), true)) ?? [])
  }

  function explainTokens(tokens: readonly FoundToken[]) {
    for (const { network, address, symbol, name, hasPrice } of tokens) {
      const path = page(`tokens/${address}?network=${encodeURIComponent(network)}`)
      say({ network, address, symbol, name, hasPrice, page: path }, [
        `${symbol ?? ''} on ${network}: ${address}${hasPrice ? '' : ', without a price'}`,
        ...(name === null ? [] : [`  ${name}`]),
        `  ${path}`,
      ])
    }
  }

  function explainTopics(topics: readonly Topic[]): undefined {
    for (const { title, text, page: more, list } of topics) {
      const pages = [...(list ? [page(list)] : []), ...(more === undefined ? [] : [page(`docs/${more}`)])]
      say({ title, text, ...(pages.length > 0 && { page: pages[0] }) }, [
        title,
        `  ${text}`,
        ...pages.map((each) => `  ${each}`),
      ])
    }
    return undefined
  }
}

const orderQuestion: Topic = { title: 'Which order is it?', text: `${orderQuestionText} Give its UID.` }

type Tokens = { networks: Awaited<ReturnType<Parameters<typeof tokensNamed>[1]>> }

/** One line of JSON without characters that control a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

const escaped = (character: string) =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')
