import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

/**
 * Files that wait long, for blocks and for programs, or run long histories. `npm run test:long` runs them, as CI
 * does; `npm test` leaves them out, unless it names files.
 */
export const longFiles = [
  'test/app/{accounting,allowances,bundles,client-package,coarse-token,command-line,commands,competition,conservation,crash,crowded,doctor,export}.test.ts',
  'test/app/{driver-settles,drivers,engine-buffers,engines,failed-on-chain,failing-routes,hostile,jit-orders,late-documents}.test.ts',
  'test/app/{native-orders,notifications,odd-node,own-code,package,pools,referrals,settings,settlements}.test.ts',
  'test/app/{programmatic,programmatic-notifications,sdk-composable,stored-bytes,submission,swap-example,swaps,thefts,token-data,trade,waiting}.test.ts',
  'test/app/{watch-tower,watch-tower-faults,watch-tower-wallets}.test.ts',
  'test/dev/{contracts,follow,run,stack}.test.ts',
  'test/dev/conditional-orders/schedules.test.ts',
  'test/docs/{examples,other-clients}.test.ts',
  'test/execution/{leaving,outage}.test.ts',
  'test/execution/admission/introspection.test.ts',
  'test/graphql/stored/generated-documents.test.ts',
  'test/http/pages/graphiql.test.ts',
  'test/indexer/{endings,histories,pools,watch-tower-load}.test.ts',
  'test/interface/further-tables.test.ts',
  'test/mcp/session.test.ts',
  'test/mirror/{bad-order-books,competitions,equality,first-answers,follower,history,import,names,passed-on,programmatic,public-answers,round,sdk,wrapped}.test.ts',
  'test/notifications/{announcements,whole-book}.test.ts',
  'test/notifications/channels/{hostile-addresses,telegram,webhook}.test.ts',
  'test/orders/on-chain.test.ts',
  'test/rest/competition/hidden-roads.test.ts',
  'test/rest/quote/stream.test.ts',
  'test/server/{malformed,manners,metrics,switched-over,unread}.test.ts',
  'test/solvers/built-in/optimum.test.ts',
  'test/sse/charged.test.ts',
  'test/storage/{feed-places,order-pages}.test.ts',
  'test/storage/database/{leadership,migrations,replica,signals,text-query,versions}.test.ts',
  'test/storage/retention/sweep.test.ts',
  'test/tokens/{account-balances,balances,balances-equal,hostile,prices}.test.ts',
]

const namesFiles = process.argv.some((argument) => /^(\.\/)?test\/./.test(argument))

/** Files that a run should begin with: the one that begins last is waited for. */
const longest = /\/(swaps|crash|run|generated-documents|sdk|referrals|hostile|stack|examples)\.test\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]) {
    const rank = ({ moduleId }: { moduleId: string }) => (longest.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  // graphql 16 has no `exports`: without this, sources and libraries load two copies of it.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/services/**', ...(namesFiles ? [] : longFiles)],
    globalSetup: ['test/setup/global-setup.ts'],
    // Far more than any test needs that sets no limit of its own: the machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // To load the program takes longer than most files do: a worker loads it once. A file must leave no state in a module.
    isolate: false,
    // One for each core. Three gain an eighth of the time, and make tests compete for the processor.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
})
