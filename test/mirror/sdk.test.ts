import { createTestDatabase } from '../setup/database.ts'
import { sdkStatements } from '../setup/sdk-statements.ts'
import { startProgram, startWorld, unlimited } from '../setup/world.ts'

/** The SDK at a service that follows the order book of the world. */
sdkStatements(async () => {
  const [book, database] = await Promise.all([startWorld(), createTestDatabase()])
  const { network } = book.market
  const orderBook = { url: `${book.url}/${network.name}`, callsPerMinute: 100_000 }
  const networks = [{ network, rpcUrl: book.chain.rpcUrl, orderBook }]
  const roles = ['serve', 'index'] as const
  const follower = await startProgram({ database, chain: book.chain }, unlimited, { roles, networks })
  return {
    ...book,
    url: follower.url ?? '',
    async [Symbol.asyncDispose]() {
      await follower.close()
      await database[Symbol.asyncDispose]()
      await book[Symbol.asyncDispose]()
    },
  }
})
