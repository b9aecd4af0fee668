/** What is mutated, and the tests that have to notice. */
interface Room {
  /** Files below `src`. */
  files: RegExp
  tests: readonly string[]
  /** Whether the tests copy the database and the chain of `test/setup/global-setup.ts`. */
  needsServers: boolean
  /** For how long a test waits for what comes: several times what the slowest needs. */
  patienceMs?: number
}

export const rooms: Readonly<Record<string, Room>> = {
  domain: {
    // Two files are tables of texts; routes take longer than all others together.
    files: /^domain\/(?!diagnosis\/code|errors\/refusal-codes|routing\/)/,
    tests: ['test/domain/**/*.test.ts'],
    needsServers: false,
  },
  routing: {
    files: /^domain\/routing\//,
    tests: ['test/domain/routing/*.test.ts', 'test/domain/quote/price-impact.test.ts'],
    needsServers: false,
  },
  admission: {
    files: /^auctions\/admission\//,
    tests: ['test/auctions/**/*.test.ts'],
    needsServers: true,
  },
  feed: {
    files: /^(storage\/(feeds\/|notifications\.ts)|notifications\/feed)/,
    tests: ['test/storage/feed*.test.ts', 'test/notifications/feed*.test.ts'],
    needsServers: true,
  },
  outbox: {
    files: /^(storage\/channels|notifications\/delivery)\//,
    tests: [
      'test/notifications/{channels,delivery}/*.test.ts',
      'test/storage/{channels/*,retention/channels}.test.ts',
    ],
    needsServers: true,
    patienceMs: 12_000,
  },
}
