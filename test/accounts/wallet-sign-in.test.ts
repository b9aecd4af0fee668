import { AbiCoder, getAddress, getCreate2Address, keccak256, Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { hostileWallets, putWallet, readArtifact } from '../chain/contracts.ts'
import { deployer, wrapSignature } from '../chain/undeployed.ts'
import { ask, createMessage, signInMutation } from '../setup/session.ts'
import { startWorld, type World } from '../setup/world.ts'

const owner = new Wallet(`0x${'51'.repeat(32)}`)
const otherKey = new Wallet(`0x${'52'.repeat(32)}`)

let world: World
beforeAll(async () => {
  world = await startWorld({ roles: ['serve'], environment: { PUBLIC_URL: 'https://trade.example' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const messageFor = (wallet: Address, chainId = world.market.network.chainId) =>
  createMessage(world.url, { address: getAddress(wallet), chainId, issuedAt: new Date().toISOString() })

/** @returns the session’s account, or why there is none */
async function signIn(message: string, by = owner, wrap = (signature: string) => signature) {
  const input = { message, signature: wrap(await by.signMessage(message)) }
  const { data, errors } = await ask(world.url, signInMutation, { input })
  const { code, field, data: detail } = errors?.[0]?.extensions ?? {}
  return data
    ? { account: data.signIn.account.address, token: data.signIn.token as string }
    : { code, field, reason: (detail as { reason: string }).reason }
}

test('a contract wallet signs in by a signature that it accepts, once, and by no other', async () => {
  const wallet = address(`0x${'71'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  const message = await messageFor(wallet)
  expect(await signIn(message, otherKey)).toEqual({
    code: 'InvalidSignIn',
    field: 'signature',
    reason: 'wallet-refused',
  })
  const session = await signIn(message)
  expect(session.account).toBe(wallet)
  const query = 'query ($account: Address!) { channelSubscriptions(account: $account) { id } }'
  const channels = (account: string) => ask(world.url, query, { account }, session.token)
  expect((await channels(wallet)).data).toEqual({ channelSubscriptions: [] })
  // It stands for the wallet, and not for its owner.
  expect((await channels(owner.address)).errors?.[0]?.extensions.code).toBe('Unauthorized')
  expect(await signIn(message)).toEqual({ code: 'InvalidSignIn', field: 'message', reason: 'nonce' })
})

test('a nonce that was never issued is refused before the wallet is asked', async () => {
  const wallet = address(`0x${'77'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  const issued = await messageFor(wallet)
  const message = issued.replace(/Nonce: .*/, `Nonce: ${'0'.repeat(32)}`)
  expect(await signIn(message, otherKey)).toEqual({
    code: 'InvalidSignIn',
    field: 'message',
    reason: 'nonce',
  })
  // The wallet decides about one that was.
  expect(await signIn(issued, otherKey)).toMatchObject({ reason: 'wallet-refused' })
})

test('its owner’s signature of another message opens nothing', async () => {
  const wallet = address(`0x${'72'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  const [message, other] = [await messageFor(wallet), await messageFor(wallet)]
  const signature = await owner.signMessage(other)
  expect(await signIn(message, owner, () => signature)).toMatchObject({ reason: 'wallet-refused' })
})

test('a wallet is not asked on a chain that is not served', async () => {
  const wallet = address(`0x${'73'.repeat(20)}`)
  await putWallet(world.chain.rpc, wallet, address(owner.address))
  expect(await signIn(await messageFor(wallet, 1))).toEqual({
    code: 'InvalidSignIn',
    field: 'message',
    reason: 'chainId',
  })
})

test('a wallet that is not deployed yet signs in by a signature that contains its deployment', async () => {
  const owners = AbiCoder.defaultAbiCoder().encode(['address'], [owner.address])
  const initCode = `${readArtifact('ContractWallet').bytecode}${owners.slice(2)}`
  const salt = `0x${'00'.repeat(31)}09`
  const wallet = address(getCreate2Address(deployer, salt, keccak256(initCode)))
  const factoryCall = `${salt}${initCode.slice(2)}` as Hex
  const wrap = (signature: string) => wrapSignature(deployer, factoryCall, signature as Hex)
  const message = await messageFor(wallet)
  expect(await signIn(message)).toMatchObject({ code: 'InvalidSignIn', field: 'signature' })
  expect(await signIn(message, otherKey, wrap)).toMatchObject({ code: 'InvalidSignIn', field: 'signature' })
  expect((await signIn(message, owner, wrap)).account).toBe(wallet)
  expect(await world.chain.rpc.call('eth_getCode', [wallet, 'latest'])).toBe('0x')
})

test.each(Object.entries(hostileWallets))('a wallet that %s opens nothing', async (_, code) => {
  const wallet = address(`0x${'75'.repeat(20)}`)
  await world.chain.rpc.call('anvil_setCode', [wallet, code])
  expect(await signIn(await messageFor(wallet))).toMatchObject({ code: 'InvalidSignIn', field: 'signature' })
})

test('an account without code does not sign in by somebody else’s key', async () => {
  const account = address(`0x${'76'.repeat(20)}`)
  expect(await signIn(await messageFor(account))).toEqual({
    code: 'InvalidSignIn',
    field: 'signature',
    reason: 'wrong-signer',
  })
})
