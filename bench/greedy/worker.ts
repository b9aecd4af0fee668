import { startGreedy } from './client.ts'
import { greedyKinds, type KindSubjects } from './kinds.ts'

/**
 * The greedy client in a separate process, so that its work does not delay the other client's clock. It ends
 * with its parent.
 */
export interface Start extends KindSubjects {
  port: number
  from: string
  connections: number
  kind: string
}

let client: ReturnType<typeof startGreedy> | undefined

process.on('message', async (message: Start | 'take' | 'stop') => {
  if (message === 'take') process.send?.(client?.take())
  else if (message === 'stop') {
    await client?.stop()
    process.disconnect()
  } else {
    const kind = greedyKinds(message).find(({ name }) => name === message.kind)
    await kind?.prepare?.(`http://127.0.0.1:${message.port}`)
    if (kind) client = startGreedy({ ...message, next: kind.next, status: kind.status })
    process.send?.('started')
  }
})
process.once('disconnect', () => process.exit(0))
