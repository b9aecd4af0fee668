import { Wallet } from 'ethers'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address } from '../../../src/domain/evm/address.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { signatureMistakes } from '../../../src/domain/signing/signature-mistake.ts'
import { orderTypes } from '../../../src/domain/signing/signing.ts'
import { chargeOf } from '../../../src/execution/admission/charge.ts'
import { noCharge } from '../../../src/execution/admission/rate-limits.ts'
import { Operation } from '../../../src/execution/operation.ts'
import { numbered } from '../../fakes/order.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { type Answer, graphql, request } from '../../setup/trader.ts'

const wallet = new Wallet(`0x${'01'.repeat(32)}`)
const owner = address(wallet.address)
const domain = {
  name: 'Gnosis Protocol',
  version: 'v2',
  chainId: network.chainId,
  verifyingContract: network.settlement,
}
const order = {
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  receiver: numbered('11'),
  sellAmount: '5',
  buyAmount: '5',
  validTo: 2_000_000_000,
  feeAmount: '0',
  partiallyFillable: false,
}
const text = `query ($order: OrderInput!) { explainSignature(order: $order) {
  valid mistake explanation recoveredSigner expectedSigner domainSeparator structHash digest
} }`

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

async function explain(change: Record<string, unknown>, document = '{}', signedFor = domain) {
  const members = { kind: 'sell', sellTokenBalance: 'erc20', buyTokenBalance: 'erc20' }
  const signature = await wallet.signTypedData(signedFor, orderTypes, {
    ...order,
    ...members,
    appData: keccakText(document),
  })
  const input = { ...order, appData: document, kind: 'SELL', signingScheme: 'EIP712', from: owner, signature }
  return (await graphql(server.url, text, { order: { ...input, ...change } })).explainSignature
}

describe('explainSignature', () => {
  test('returns valid and the parts of the digest for a correct signature', async () => {
    expect(await explain({})).toEqual({
      valid: true,
      mistake: null,
      explanation: `${owner} signed this order`,
      recoveredSigner: owner,
      expectedSigner: owner,
      domainSeparator: '0xdaee378bd0eb30ddf479272accf91761e697bc00e067a268f95f1d2732ed230b',
      structHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      digest: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
  })

  test('names the mistake in a wrong signature', async () => {
    expect(await explain({}, '{}', { ...domain, chainId: 1 })).toMatchObject({
      valid: false,
      mistake: 'CHAIN_ID',
      explanation: `${owner} signed the order for chain 1`,
    })
    expect(await explain({ signature: '0x1234' })).toMatchObject({ mistake: 'SIGNATURE_LENGTH' })
  })

  test('compares the recovered signer with the one that appData names', async () => {
    const document = `{"metadata":{"signer":"${owner}"}}`
    expect(await explain({ from: null }, document)).toMatchObject({ valid: true, expectedSigner: owner })
    expect(await explain({ from: null })).toMatchObject({ valid: null, expectedSigner: null })
    expect(await explain({ from: null }, 'no JSON')).toMatchObject({ valid: null, expectedSigner: null })
  })

  test('reads neither the database nor the chain', async () => {
    const before = server.database.statements.length
    await explain({})
    expect(server.database.statements.length).toBe(before)
  })

  test('is allowed once in a request, and counts against the limit of orders', async () => {
    const twice = text.replace(
      'explainSignature',
      'a: explainSignature(order: $order) { valid } b: explainSignature',
    )
    const input = { ...order, appData: '{}', kind: 'SELL', signingScheme: 'EIP712', signature: '0x' }
    const { body }: Answer = await request(`${server.url}/graphql`, 'POST', {
      query: twice,
      variables: { order: input },
    })
    expect(body.errors).toMatchObject([{ extensions: { code: 'QueryTooComplex' } }])
    expect(chargeOf(new Operation({ variables: { order: input } }, parse(twice)))).toEqual({
      ...noCharge,
      orders: 2,
    })
    expect(chargeOf(new Operation({}, parse('{ version }')))).toEqual({ ...noCharge, reads: 1 })
  })

  test('documents every mistake in the enum', async () => {
    const data = await graphql(
      server.url,
      '{ __type(name: "SignatureMistake") { enumValues { name description } } }',
    )
    const documented = data.__type.enumValues.map(({ name, description }: Record<string, string>) => [
      name,
      description,
    ])
    const known = Object.entries(signatureMistakes).map(([word, description]) => [
      word.toUpperCase(),
      description,
    ])
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(known))
  })
})
