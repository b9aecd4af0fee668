import { createPubSub, createSchema } from 'graphql-yoga'
import { hearEvents } from './hear.mjs'

const typeDefs = `
  scalar Address
  type Node { type: String! message: String! timestamp: String! }
  type Event { cursor: String! node: Node! }
  type Query { version: String! }
  type Subscription { notifications(account: Address!, after: String): Event! }
`

/** A schema whose subscription repeats the source's events, with Yoga's publisher. */
export function schemaFor(name) {
  const events = createPubSub()
  hearEvents(name, (account, text) => events.publish(account, JSON.parse(text)))
  const notifications = {
    subscribe: (_root, { account }) => events.subscribe(account),
    resolve: (event) => event,
  }
  return createSchema({ typeDefs, resolvers: { Subscription: { notifications } } })
}
