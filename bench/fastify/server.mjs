// Order submission as written by hand: fastify checks the form, viem the signature, one request to the node
// reads balance and allowance, and one transaction stores the same rows. Arguments: database URL, RPC URL,
// network as JSON.
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// The packages are installed next to a copy of the manifest, not next to this file.
const require = createRequire(path.join(process.cwd(), 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)).href)

const { default: Fastify } = await load('fastify')
const { default: pg } = await load('pg')
const { hashTypedData, keccak256, recoverAddress, stringToHex } = await load('viem')

const [databaseUrl, rpcUrl, networkText] = process.argv.slice(2)
const { chainId, name, settlement, vaultRelayer } = JSON.parse(networkText)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })

const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: settlement }
const fields = {
  sellToken: 'address',
  buyToken: 'address',
  receiver: 'address',
  sellAmount: 'uint256',
  buyAmount: 'uint256',
  validTo: 'uint32',
  appData: 'bytes32',
  feeAmount: 'uint256',
  kind: 'string',
  partiallyFillable: 'bool',
  sellTokenBalance: 'string',
  buyTokenBalance: 'string',
}
const types = { Order: Object.entries(fields).map(([name, type]) => ({ name, type })) }

const address = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }
const amount = { type: 'string', pattern: '^[0-9]{1,78}$' }
const body = {
  type: 'object',
  required: [...Object.keys(fields), 'appDataHash', 'from', 'signature', 'signingScheme', 'quoteId'],
  properties: {
    sellToken: address,
    buyToken: address,
    receiver: address,
    from: address,
    sellAmount: amount,
    buyAmount: amount,
    feeAmount: amount,
    validTo: { type: 'integer', minimum: 0, maximum: 4294967295 },
    appData: { type: 'string' },
    appDataHash: { type: 'string', pattern: '^0x[0-9a-f]{64}$' },
    kind: { enum: ['buy', 'sell'] },
    partiallyFillable: { type: 'boolean' },
    sellTokenBalance: { enum: ['erc20'] },
    buyTokenBalance: { enum: ['erc20'] },
    signingScheme: { enum: ['eip712'] },
    signature: { type: 'string', pattern: '^0x[0-9a-fA-F]{130}$' },
    quoteId: { type: 'integer' },
  },
}

const word = (hex) => hex.slice(2).toLowerCase().padStart(64, '0')
const bytes = (hex) => Buffer.from(hex.slice(2), 'hex')

/** Sends both calls in one request. */
async function readFunds(owner, token) {
  const call = (id, data) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_call',
    params: [{ to: token, data }, 'latest'],
  })
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([
      call(1, `0x70a08231${word(owner)}`),
      call(2, `0xdd62ed3e${word(owner)}${word(vaultRelayer)}`),
    ]),
  })
  const answers = await response.json()
  const [balance, allowance] = [1, 2].map((id) => BigInt(answers.find((answer) => answer.id === id).result))
  return { balance, allowance }
}

const insertDocument = 'INSERT INTO app_data (hash, document) VALUES ($1, $2) ON CONFLICT DO NOTHING'
const insertOrder = `INSERT INTO orders (chain_id, uid, owner, sell_token, buy_token, receiver, sell_amount, buy_amount, valid_to,
  app_data, fee_amount, kind, partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement,
  class, quote_id, full_balance_check, created_at, effective_valid_to)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'limit', $19, false, $20, $9)
  ON CONFLICT DO NOTHING RETURNING id`
const insertQuote = `INSERT INTO order_quotes (order_id, gas_amount, gas_price, sell_token_price, sell_amount, buy_amount,
  fee_amount, solver, verified)
  SELECT $1, gas_amount, gas_price, sell_token_price, sell_amount, buy_amount, fee_amount, solver, verified
  FROM quotes WHERE id = $2`
const insertEvent = `INSERT INTO order_events (order_id, label, timestamp) VALUES ($1, 'created', $2)`

/** @returns whether the order is new */
async function store(order, hash, uid) {
  const client = await pool.connect()
  try {
    const now = new Date()
    await client.query('BEGIN')
    await client.query({ name: 'document', text: insertDocument, values: [bytes(hash), order.appData] })
    const values = [
      ...[
        chainId,
        bytes(uid),
        bytes(order.from),
        bytes(order.sellToken),
        bytes(order.buyToken),
        bytes(order.receiver),
      ],
      ...[order.sellAmount, order.buyAmount, order.validTo, bytes(hash), order.feeAmount, order.kind],
      ...[order.partiallyFillable, order.sellTokenBalance, order.buyTokenBalance, order.signingScheme],
      ...[bytes(order.signature), bytes(settlement), order.quoteId, now],
    ]
    const { rows } = await client.query({ name: 'order', text: insertOrder, values })
    if (rows.length === 0) {
      await client.query('ROLLBACK')
      return false
    }
    await client.query({ name: 'quote', text: insertQuote, values: [rows[0].id, order.quoteId] })
    await client.query({ name: 'event', text: insertEvent, values: [rows[0].id, now] })
    await client.query('COMMIT')
    return true
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

const app = Fastify()

app.post(`/${name}/api/v1/orders`, { schema: { body } }, async (request, reply) => {
  const order = request.body
  const refuse = (errorType) => reply.code(400).send({ errorType })
  const hash = keccak256(stringToHex(order.appData))
  if (hash !== order.appDataHash) return refuse('AppDataHashMismatch')
  if (order.validTo < Date.now() / 1000 + 60) return refuse('InsufficientValidTo')
  const message = {
    ...order,
    appData: hash,
    sellAmount: BigInt(order.sellAmount),
    buyAmount: BigInt(order.buyAmount),
    feeAmount: BigInt(order.feeAmount),
  }
  const digest = hashTypedData({ domain, types, primaryType: 'Order', message })
  const owner = await recoverAddress({ hash: digest, signature: order.signature })
  if (owner.toLowerCase() !== order.from.toLowerCase()) return refuse('InvalidSignature')
  const { balance, allowance } = await readFunds(owner, order.sellToken)
  if (balance < message.sellAmount) return refuse('InsufficientBalance')
  if (allowance < message.sellAmount) return refuse('InsufficientAllowance')
  const uid = `${digest}${owner.slice(2).toLowerCase()}${order.validTo.toString(16).padStart(8, '0')}`
  if (!(await store(order, hash, uid))) return refuse('DuplicatedOrder')
  return reply.code(201).type('application/json').send(JSON.stringify(uid))
})

const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`ready ${url}\n`)
process.once('SIGTERM', () => process.exit(0))
