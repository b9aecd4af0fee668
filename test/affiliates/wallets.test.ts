import { AbiCoder, getCreate2Address, keccak256 } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { hostileWallets, putWallet, readArtifact } from '../chain/contracts.ts'
import { deployer, wrapSignature } from '../chain/undeployed.ts'
import { request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'
import { numberedKey, signCode } from './signer.ts'

const owner = numberedKey(31)
const otherKey = numberedKey(32)

let world: World
beforeAll(async () => {
  const environment = {
    CMS_ENABLED: 'true',
    CMS_API_KEY: 'key-of-the-editors',
    AFFILIATE_BRAND: 'Trade Graph',
    ADMIN_API_KEY: 'key-of-the-operator',
    STATS_SOURCE: '',
  }
  world = await startWorld({ roles: ['serve'], environment })
})
afterAll(() => world[Symbol.asyncDispose]())

const domain = { name: 'Trade Graph Affiliate' }
async function register(wallet: Address, code: string, by = owner, wrap = (signature: string) => signature) {
  const signedMessage = wrap(await signCode(by, code, { wallet, domain }))
  const body = { walletAddress: wallet, code, signedMessage }
  const { status, body: result } = await request(`${world.url}/affiliate/${wallet}`, 'POST', body)
  return [status, status === 201 ? result.code : result.message]
}
const invalid = [401, 'Affiliate has invalid signature']

test('a contract wallet registers with a signature that it accepts, and with no other', async () => {
  const wallet = address(`0x${'31'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  expect(await register(wallet, 'CONTRACT', otherKey)).toEqual(invalid)
  const signedMessage = await signCode(otherKey, 'CONTRACT', { wallet, domain })
  const response = await request(`${world.url}/graphql`, 'POST', {
    query:
      'mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { code } } }',
    variables: { input: { walletAddress: wallet, code: 'CONTRACT', signedMessage } },
  })
  expect(response.body.errors[0].extensions.data).toEqual({ reason: 'wallet-refused' })
  expect(await register(wallet, 'CONTRACT')).toEqual([201, 'CONTRACT'])
  expect(await register(wallet, 'CONTRACT')).toEqual([
    409,
    'Affiliate wallet address already bound to a code',
  ])
  expect(await register(wallet, 'CONTRACT', otherKey)).toEqual(invalid)
})

test("of a hundred concurrent posts of one contract wallet's message, one succeeds", async () => {
  const wallet = address(`0x${'33'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  const answers = await Promise.all(Array.from({ length: 100 }, () => register(wallet, 'TOGETHER')))
  expect(answers.filter(([status]) => status === 201)).toEqual([[201, 'TOGETHER']])
  expect(answers.filter(([status]) => status === 409)).toHaveLength(99)
})

test('a wallet that is not deployed yet registers with a signature that contains its deployment', async () => {
  const initCode = `${readArtifact('ContractWallet').bytecode}${AbiCoder.defaultAbiCoder()
    .encode(['address'], [owner.address])
    .slice(2)}`
  const salt = `0x${'00'.repeat(31)}07`
  const wallet = address(getCreate2Address(deployer, salt, keccak256(initCode)))
  const factoryCall = `${salt}${initCode.slice(2)}` as Hex
  const wrap = (signature: string) => wrapSignature(deployer, factoryCall, signature as Hex)
  expect(await register(wallet, 'UNDEPLOYED')).toEqual(invalid)
  expect(await register(wallet, 'UNDEPLOYED', otherKey, wrap)).toEqual(invalid)
  expect(await register(wallet, 'UNDEPLOYED', owner, wrap)).toEqual([201, 'UNDEPLOYED'])
  expect(await world.chain.rpc.call('eth_getCode', [wallet, 'latest'])).toBe('0x')
})

test.each(Object.entries(hostileWallets))('the signature of a wallet that %s is invalid', async (_, code) => {
  const wallet = address(`0x${'35'.repeat(20)}`)
  await world.chain.rpc.call('anvil_setCode', [wallet, code])
  expect(await register(wallet, 'HOSTILE')).toEqual(invalid)
})

test("the contract wallet's check comes before a taken code", async () => {
  const wallet = address(`0x${'36'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  expect(await register(wallet, 'CONTRACT', otherKey)).toEqual(invalid)
  expect(await register(wallet, 'CONTRACT')).toEqual([409, 'Affiliate code already taken'])
})

test('the key of the CMS switches a code', async () => {
  const put = (key: string) =>
    fetch(`${world.url}/ref-codes/CONTRACT`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: '{"enabled":false}',
    })
  expect((await put('another-key')).status).toBe(401)
  expect((await put('key-of-the-operator')).status).toBe(200)
  expect((await put('key-of-the-editors')).status).toBe(200)
  expect((await request(`${world.url}/ref-codes/CONTRACT`)).status).toBe(403)
})

test('the key of the CMS cancels no orders', async () => {
  const cancel = async (key: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const uid = `0x${'00'.repeat(56)}`
    const body = JSON.stringify({
      query: `mutation { cancelOrdersByPolicy(input: { orderUids: ["${uid}"] }) { orders { uid } } }`,
    })
    const response = await fetch(`${world.url}/graphql`, { method: 'POST', headers, body })
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
    return errors[0]?.extensions.code
  }
  expect(await cancel('key-of-the-editors')).toBe('Unauthorized')
  expect(await cancel('key-of-the-operator')).toBe('OrderNotFound')
})

test('statistics without their setting are unavailable', async () => {
  const { status, body } = await request(`${world.url}/affiliate/trader-stats/${owner.address}`)
  expect([status, body]).toEqual([503, { message: expect.stringContaining('STATS_SOURCE') }])
})

test('during a node outage keys register, and contract signatures are unavailable', async () => {
  await world.chain[Symbol.asyncDispose]()
  const key = numberedKey(34)
  const post = (signedMessage: string) => {
    const body = { walletAddress: key.address, code: 'OFFLINE', signedMessage }
    return request(`${world.url}/affiliate/${key.address}`, 'POST', body)
  }
  const forged = await post(await signCode(otherKey, 'OFFLINE', { wallet: address(key.address), domain }))
  expect([forged.status, forged.body]).toEqual([503, { message: expect.stringContaining('unavailable') }])
  expect(forged.headers.get('retry-after')).toBe('1')
  expect((await post('neither')).status).toBe(401)
  expect((await register(address(`0x${'31'.repeat(20)}`), 'CONTRACT'))[0]).toBe(503)
  expect((await post(await signCode(key, 'OFFLINE', { domain }))).status).toBe(201)
})
