import type { NatsStream } from '../../outside/nats.ts'
import type { SinkSender } from './sink.ts'

/** Publishes each entry as a message, with its place as the id. */
export function createNatsSender(stream: NatsStream, prefix: string): SinkSender {
  return {
    send: (events) =>
      stream.publish(
        events.map(({ cursor, json, name, chainId }) => ({
          id: cursor,
          data: json,
          subject: `${prefix}.${chainId}.${name}`,
        })),
      ),
    close: () => stream.close(),
  }
}
