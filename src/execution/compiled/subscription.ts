import { type ExecutionResult, getArgumentValues } from 'graphql'
import { checkListItems, type Services } from '../../graphql/context/context.ts'
import { schema } from '../../graphql/schema.ts'
import { fieldsOf, type OperationScope } from '../../graphql/stored/collect.ts'
import { type FeedField, feedReading } from '../../graphql/stored/feed-field.ts'
import { isComplete, resolverReading, responseReading } from '../../graphql/stored/reading.ts'
import type { Caller } from '../../http/caller.ts'
import { type FeedEvent, startsWithSnapshot } from '../../notifications/feed.ts'
import type { Follower, Sink } from '../../notifications/feed-follower.ts'
import type { Rendered } from '../../notifications/feed-memory.ts'
import { type Cost, costRefusal } from '../admission/cost.ts'
import { fragmentsOf } from '../documents/document-size.ts'
import type { Operation } from '../operation.ts'

/** An interface's form of each event, made once for all its streams with the same selection. */
export interface CompiledEventForm<Result extends Rendered> {
  /** Differs between forms. */
  name: string
  /** @param json the result of GraphQL */
  eventOf(json: string, cursor: string): Result
}

/** A subscription whose events are the text that the database wrote, without resolvers. */
export interface Subscription<Result extends Rendered> {
  follower: Follower<Result>
  /** The first event of a stream has it in its extensions. */
  cost: Cost
}

/**
 * Follows the feed of a subscription. Undefined for one that has to be executed for each subscriber, for
 * other operations, and for what execution refuses.
 * @param execute executes one event; for those in which the database lacks something, such as the metadata of
 * a token
 */
export async function subscribeCompiled<Result extends Rendered>(
  operation: Operation,
  caller: Caller,
  services: Services,
  form: CompiledEventForm<Result>,
  sink: Sink,
  execute: (event: FeedEvent) => Promise<ExecutionResult>,
): Promise<Subscription<Result> | undefined> {
  if (!operation.isSubscription || !operation.isValid) return undefined
  const { definition, variables, cost } = operation
  const type = schema.getSubscriptionType()
  if (!definition || definition.directives?.length || !type) return undefined
  if (!variables || !cost || costRefusal(cost)) return undefined
  const scope: OperationScope = { schema, fragments: fragmentsOf(operation.document), variables }
  const [root] = fieldsOf([definition.selectionSet], variables, scope.fragments)
  const [responseKey, nodes] = root ?? []
  const field = nodes && type.getFields()[nodes[0].name.value]
  const feedField = field?.extensions.feed as FeedField<Record<string, unknown>> | undefined
  if (!nodes || !field || !feedField) return undefined
  try {
    const environment = { ...services, ...caller }
    const args = getArgumentValues(field, nodes[0], variables)
    const { feed, key, after, snapshot } = await feedField.find(args, environment)
    const from = caller.lastEventId ?? after
    // The snapshot is read for this client alone.
    if (snapshot && startsWithSnapshot(from)) return undefined
    const readingOf = (how: typeof responseReading) =>
      feedReading(feedField, field.type, nodes, scope, environment, how)
    const { reading, isFullyStored } = readingOf(responseReading)
    if (!isFullyStored) return undefined
    const texts = feed.texts(reading)

    async function executed(position: bigint): Promise<string | undefined> {
      const [entry] = await feed.texts(readingOf(resolverReading).reading).read([position])
      return entry && JSON.stringify(await execute({ cursor: String(position), text: entry.text }))
    }

    function render(text: string, place: bigint): Result | Promise<Result | undefined> {
      const cursor = String(place)
      if (isWritten(text)) return form.eventOf(`{"data":{"${responseKey}":${text}}}`, cursor)
      return executed(place).then((json) => (json === undefined ? undefined : form.eventOf(json, cursor)))
    }

    const name = `${form.name} ${responseKey} ${texts.key}`
    const rendering = { key: name, texts, weight: cost.requested ?? 1, render }
    const { client } = caller
    return { follower: await feed.follow<Result>({ key, after: from, client, rendering, sink }), cost }
  } catch {
    // Execution meets the same error and reports it.
    return undefined
  }
}

/** Reports whether the text is all of the result. */
function isWritten(text: string): boolean {
  if (!isComplete(text)) return false
  try {
    checkListItems([text])
    return true
  } catch {
    return false
  }
}
