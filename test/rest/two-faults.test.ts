import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

// Whatever two members of an input are at fault, REST and GraphQL name the same one.

const key = 'editor-key-of-16-or-more'
const account = numbered('c1')
const channel = '00000000-0000-4000-8000-000000000000'
const signature = `0x${'00'.repeat(65)}`
const over = `${2n ** 256n}`
let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { isEditor: operatorCheck(key) })
})
afterAll(() => server[Symbol.asyncDispose]())

async function send(method: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) })
  return (await response.json()) as Record<string, unknown>
}

interface Fault {
  code: unknown
  field: unknown
}

/** Messages of REST begin with the field; codes are in bodies of the order book alone. */
async function overRest(method: string, path: string, body: object): Promise<Partial<Fault>> {
  const { errorType, description, message } = await send(method, path, body)
  const [field] = String(description ?? message).split(' ', 1)
  return { ...(errorType !== undefined && { code: errorType }), field }
}

async function overGraphql(query: string, variables = {}): Promise<Fault> {
  const { errors } = (await send('POST', '/graphql', { query, variables })) as {
    errors: { extensions: { code: string; field: string } }[]
  }
  const { code, field } = errors[0]?.extensions ?? {}
  return { code, field: field === 'amount.sellBeforeFee' ? 'sellAmountBeforeFee' : field }
}

/** A flat object as a literal of GraphQL; words in capitals are enum values. */
function literal(input: object): string {
  const members = Object.entries(input).map(([name, value]) =>
    /^[A-Z]+[0-9]*$/.test(value) ? `${name}: ${value}` : `${name}: ${JSON.stringify(value)}`,
  )
  return `{ ${members.join(', ')} }`
}

const order = {
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  sellAmount: '5',
  buyAmount: '5',
  validTo: 2_000_000_000,
  appData: '{}',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  signingScheme: 'eip712',
  signature,
}
const asGraphql = ({ ...members }: object) => ({
  ...members,
  ...('kind' in members && { kind: String(members.kind).toUpperCase() }),
  ...('signingScheme' in members && { signingScheme: String(members.signingScheme).toUpperCase() }),
})

interface Faulty {
  rest: [method: string, path: string]
  /** Of the REST body. */
  body: object
  field: string
  inputType: string
  input: object
  selection: string
}

/** A fault of each member of an order, alone. */
const orderFaults = {
  sellToken: '0x12',
  buyToken: 5,
  receiver: 'nobody',
  sellAmount: over,
  buyAmount: '-1',
  validTo: 2_000_000_000_000,
  appData: 7,
  feeAmount: '0x0',
  kind: 'give',
  partiallyFillable: 'yes',
  signingScheme: 'eip7',
  signature: '0x0',
  quoteId: -1,
}

function pairsOf(faults: object): [string, object][] {
  const entries = Object.entries(faults)
  return entries.flatMap((one, index) =>
    entries
      .slice(index + 1)
      .map((other): [string, object] => [`${one[0]}, ${other[0]}`, Object.fromEntries([other, one])]),
  )
}

const orders: [string, Faulty][] = pairsOf(orderFaults).map(([name, faults]) => {
  const body = { ...order, ...faults }
  const call = { field: 'placeOrder', inputType: 'PlaceOrderInput', selection: '{ order { uid } }' }
  return [
    `order: ${name}`,
    { rest: ['POST', '/sepolia/api/v1/orders'], body, input: asGraphql(body), ...call },
  ]
})

const quote = { kind: 'sell', sellToken: numbered('aa'), buyToken: numbered('bb'), from: account }
const asQuote = ({
  kind: _,
  sellAmountBeforeFee,
  ...members
}: {
  kind: string
  sellAmountBeforeFee?: unknown
}) => ({
  ...members,
  amount: { sellBeforeFee: sellAmountBeforeFee },
})
const quotes: [string, Faulty][] = [
  { sellToken: '0x1', buyToken: '0x2', sellAmountBeforeFee: '5' },
  { from: '0x1', buyToken: '0x2', sellAmountBeforeFee: '5' },
  { receiver: '0x1', sellAmountBeforeFee: '0x5' },
  { appData: 5, onchainOrder: 'yes', sellAmountBeforeFee: '5' },
  { timeout: -1, sellAmountBeforeFee: over },
  { sellToken: '0x1' },
].map((faults) => {
  const body = { ...quote, ...faults }
  const call = { field: 'quote', inputType: 'QuoteInput', selection: '{ quoteId }' }
  return [
    `quote: ${Object.keys(faults).join(', ')}`,
    { rest: ['POST', '/sepolia/api/v1/quote'], body, input: asQuote(body), ...call },
  ]
})

const { uid } = sampleOrder()
const cancelling = { inputType: 'CancelOrdersInput', field: 'cancelOrders', selection: '{ orders { uid } }' }
const others: [string, Faulty][] = [
  [
    'cancellation: a UID, the signature',
    {
      rest: ['DELETE', '/sepolia/api/v1/orders'],
      body: { signature: 'x', orderUids: [uid, '0x1'], signingScheme: 'eip712' },
      input: { signature: 'x', orderUids: [uid, '0x1'], signingScheme: 'EIP712' },
      ...cancelling,
    },
  ],
  [
    'cancellation of one: the UID, the signature',
    {
      rest: ['DELETE', '/sepolia/api/v1/orders/0x12'],
      body: { signature: 'x', signingScheme: 'eip712' },
      input: { signature: 'x', orderUid: '0x12', signingScheme: 'EIP712' },
      inputType: 'CancelOrderInput',
      field: 'cancelOrder',
      selection: '{ order { uid } }',
    },
  ],
  [
    'document: the hash, the document',
    {
      rest: ['PUT', '/sepolia/api/v1/app_data/0x12'],
      body: { fullAppData: 5 },
      input: { document: 5, hash: '0x12' },
      inputType: 'UploadAppDataInput',
      field: 'uploadAppData',
      selection: '{ hash }',
    },
  ],
  [
    'channel: the account, the kind',
    {
      rest: ['POST', '/accounts/0x12/channels'],
      body: { kind: 'pigeon' },
      input: { kind: 'PIGEON', account: '0x12' },
      inputType: 'SubscribeChannelInput',
      field: 'subscribeChannel',
      selection: '{ secret }',
    },
  ],
  [
    'confirmation: the account, the token',
    {
      rest: ['POST', '/accounts/0x12/channels/confirmation'],
      body: {},
      input: { account: '0x12' },
      inputType: 'ConfirmChannelInput',
      field: 'confirmChannel',
      selection: '{ channel { id } }',
    },
  ],
  [
    'change of a channel: a network, the improvement',
    {
      rest: ['PATCH', `/accounts/${account}/channels/${channel}`],
      body: { leastImprovement: 'much', types: ['nothing'] },
      input: { leastImprovement: 'much', types: ['NOTHING'], id: channel, account },
      inputType: 'UpdateChannelInput',
      field: 'updateChannel',
      selection: '{ channel { id } }',
    },
  ],
  [
    'affiliate code: the code, whether it is on',
    {
      rest: ['PUT', '/ref-codes/x'],
      body: { enabled: 'yes' },
      input: { enabled: 'yes', code: 'x' },
      inputType: 'SetAffiliateEnabledInput',
      field: 'setAffiliateEnabled',
      selection: '{ affiliate { code } }',
    },
  ],
]

describe('of two faults REST and GraphQL name the same one', () => {
  test.each([...orders, ...quotes, ...others])('%s', async (_name, faulty) => {
    const { rest, body, field, inputType, input, selection } = faulty
    const query = `mutation ($input: ${inputType}!) { ${field}(input: $input) ${selection} }`
    expect(await overGraphql(query, { input })).toMatchObject(await overRest(...rest, body))
  })

  /** Faults of values whose types are those of the service: others make the document invalid. */
  const { sellToken, sellAmount, buyAmount, validTo, feeAmount, signature } = orderFaults
  const literals = pairsOf({ signature, validTo, feeAmount, buyAmount, sellAmount, sellToken })
  test.each(literals)('in a document: %s', async (_name, faults) => {
    const body = { ...order, ...faults }
    const query = `mutation { placeOrder(input: ${literal(asGraphql(body))}) { order { uid } } }`
    const expected = await overRest('POST', '/sepolia/api/v1/orders', body)
    expect(await overGraphql(query)).toEqual(expected)
  })

  test('in a list of orders', async () => {
    const body = { ...order, buyToken: '0x1', sellToken: '0x2' }
    const input = { orders: [asGraphql(order), asGraphql(body)] }
    const query =
      'mutation ($input: PlaceOrdersInput!) { placeOrders(input: $input) { results { __typename } } }'
    expect(await overGraphql(query, { input })).toEqual({
      code: 'InvalidParameter',
      field: 'orders[1].sellToken',
    })
  })
})
