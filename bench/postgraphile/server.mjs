// PostGraphile over the program's tables, set up for production by its documentation. Arguments: database
// URL.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// The packages are installed next to a copy of the manifest, not next to this file.
const require = createRequire(path.join(process.cwd(), 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)).href)

const { postgraphile } = (await load('postgraphile')).default ?? (await load('postgraphile'))
const { PostGraphileAmberPreset } = await load('postgraphile/presets/amber')
const { makePgService } = await load('postgraphile/adaptors/pg')
const { makeJSONPgSmartTagsPlugin } = await load('postgraphile/utils')
const { grafserv } = await load('postgraphile/grafserv/node')

/** Smart tags declare the relations, which lack foreign keys, and set the names in the queries. */
const relations = {
  orders: [
    '(app_data) references app_data (hash)|@fieldName document|@foreignFieldName users',
    '(chain_id, sell_token) references tokens (chain_id, address)|@fieldName sells|@foreignFieldName soldBy',
    '(chain_id, buy_token) references tokens (chain_id, address)|@fieldName buys|@foreignFieldName boughtBy',
  ],
  order_quotes: ['(order_id) references orders (id)|@fieldName order|@foreignFieldName quote'],
  order_events: ['(order_id) references orders (id)|@fieldName order|@foreignFieldName events'],
  order_auctions: [
    '(order_id) references orders (id)|@fieldName order|@foreignFieldName auctions',
    '(auction_id) references auctions (id)|@fieldName auction|@foreignFieldName orders',
  ],
  settlement_attempts: [
    '(auction_id) references auctions (id)|@fieldName auction|@foreignFieldName attempts',
  ],
  auction_prices: ['(auction_id) references auctions (id)|@fieldName auction|@foreignFieldName prices'],
  solutions: ['(auction_id) references auctions (id)|@fieldName auction|@foreignFieldName solutions'],
  solution_executions: [
    '(order_id) references orders (id)|@fieldName tradedOrder|@foreignFieldName allProposals',
    '(order_id, auction_id) references order_auctions (order_id, auction_id)|@fieldName order|@foreignFieldName proposals',
    '(auction_id, solution_uid) references solutions (auction_id, uid)|@fieldName solution|@foreignFieldName proposals',
  ],
  executions: [
    '(order_id, auction_id) references order_auctions (order_id, auction_id)|@fieldName order|@foreignFieldName execution',
  ],
  fee_policies: [
    '(order_id, auction_id) references order_auctions (order_id, auction_id)|@fieldName order|@foreignFieldName policies',
  ],
  trades: [
    '(order_id) references orders (id)|@fieldName order|@foreignFieldName trades',
    '(chain_id, sell_token) references tokens (chain_id, address)|@fieldName sells|@foreignFieldName tradesSelling',
    '(chain_id, buy_token) references tokens (chain_id, address)|@fieldName buys|@foreignFieldName tradesBuying',
  ],
  feed_entries: [
    '(notification_id) references notifications (id)|@fieldName notification|@foreignFieldName entries',
  ],
}

/** PostGraphile takes unique constraints for keys, not unique indexes, and no keys from views. */
const keys = {
  orders: { unique: 'chain_id,uid' },
  order_auctions: { primaryKey: 'order_id,auction_id' },
  auction_prices: { primaryKey: 'auction_id,token' },
  fee_policies: { primaryKey: 'order_id,auction_id,position' },
}

const smartTags = makeJSONPgSmartTagsPlugin({
  version: 1,
  config: {
    class: Object.fromEntries(
      Object.entries(relations).map(([table, foreignKey]) => [
        table,
        { tags: { foreignKey, ...keys[table] } },
      ]),
    ),
    // Byte columns are not offered as conditions otherwise.
    attribute: Object.fromEntries(
      ['orders.owner', 'trades.owner', 'feed_entries.account'].map((column) => [
        column,
        { tags: { behavior: '+attribute:filterBy' } },
      ]),
    ),
  },
})

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [smartTags],
  // Otherwise columns are ordered only where they lead an index.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [
    makePgService({ connectionString: process.argv[2], schemas: ['public'], poolConfig: { max: 10 } }),
  ],
  // Lists next to connections: a query requests pages only where it needs them.
  schema: { defaultBehavior: '+list +connection', dontSwallowErrors: true },
  grafserv: { graphiql: false, watch: false, graphqlPath: '/graphql' },
  grafast: { explain: false },
}

const service = postgraphile(preset).createServ(grafserv)
const server = createServer()
server.once('listening', () => process.stdout.write(`ready http://127.0.0.1:${server.address().port}\n`))
await service.addTo(server)
server.listen(0, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
