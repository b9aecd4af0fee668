import { AbiCoder, concat, Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { decodeTradeableOrder } from '../../src/domain/programmatic/abi.ts'
import { composableCow, extensibleFallbackHandler } from '../../src/domain/programmatic/handlers.ts'
import type { ConditionalOrderParams } from '../../src/domain/programmatic/params.ts'
import { encodeStaticInput, type TwapInput } from '../../src/domain/programmatic/static-input.ts'
import { domainSeparator, orderUid } from '../../src/domain/signing/signing.ts'
import { calls, fallbackAbi, type WalletCall, walletAbi, walletCall } from '../chain/conditional-stage.ts'
import { readArtifact } from '../chain/contracts.ts'
import { twapHandler, word } from '../domain/programmatic/vectors.ts'
import { eventually } from '../setup/eventually.ts'
import { request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const tokenAbi = new Interface(readArtifact('TestToken').abi)
const coin = 10n ** 18n
const maxUint256 = 2n ** 256n - 1n

let world: World
beforeAll(async () => {
  // Parts are as long as a few blocks.
  world = await startWorld({ environment: { ORDER_MIN_VALIDITY: '1' } })
  await world.chain.rpc.call('anvil_autoImpersonateAccount', [true])
})
afterAll(() => world?.[Symbol.asyncDispose]())

const person = () => world.market.accounts[0]?.address ?? zeroAddress
const base = () => `${world.url}/${world.market.network.name}/api/v1`

interface Receipt {
  status: string
  contractAddress: string
}

async function send(from: Address, to: Address | undefined, data: string): Promise<Receipt> {
  const { rpc } = world.chain
  const transaction = { from, ...(to && { to }), data, gas: '0x2dc6c0' }
  const hash = await rpc.call('eth_sendTransaction', [transaction])
  const receipt = await eventually('it is mined', () =>
    rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash]).then((found) => found ?? undefined),
  )
  expect(receipt.status).toBe('0x1')
  return receipt
}

const execute = (wallet: Address, ...made: WalletCall[]) =>
  send(person(), wallet, walletAbi.encodeFunctionData('execute', [made]))

const mint = (to: Address, amount: bigint) =>
  send(
    world.market.solver.address,
    world.market.tokens.DAI.address,
    tokenAbi.encodeFunctionData('mint', [to, amount]),
  )

/** A wallet like a Safe that leaves signatures to the contract of conditional orders, with an allowance. */
async function deployWallet(): Promise<Address> {
  const { network, tokens } = world.market
  const owners = AbiCoder.defaultAbiCoder().encode(
    ['address', 'address'],
    [person(), extensibleFallbackHandler],
  )
  const code = concat([readArtifact('SafeWallet').bytecode, owners])
  const wallet = address((await send(person(), undefined, code)).contractAddress)
  const verifier = [domainSeparator(network), composableCow]
  await execute(
    wallet,
    walletCall(wallet, fallbackAbi.encodeFunctionData('setDomainVerifier', verifier)),
    walletCall(
      tokens.DAI.address,
      tokenAbi.encodeFunctionData('approve', [network.vaultRelayer, maxUint256]),
    ),
  )
  return wallet
}

let salts = 0
function twapOf(change: Partial<TwapInput>): ConditionalOrderParams {
  const { DAI, WETH } = world.market.tokens
  const input: TwapInput = {
    ...{ sellToken: DAI.address, buyToken: WETH.address, receiver: zeroAddress },
    ...{ partSellAmount: 100n * coin, minPartLimit: 1n, t0: 0n, n: 3n, t: 10n, span: 0n },
    appData: keccakText('a document that its owner has not uploaded'),
    ...change,
  }
  return { handler: twapHandler, salt: word(++salts), staticInput: encodeStaticInput('TWAP', input) }
}

/** The part that can trade at the head; undefined while there is none. */
async function poll(owner: Address, params: ConditionalOrderParams) {
  const data = calls.poll(owner, params)
  const answer = await world.chain.rpc
    .call<`0x${string}`>('eth_call', [{ to: composableCow, data }, 'latest'])
    .catch(() => undefined)
  return answer && decodeTradeableOrder(answer, 2_000)
}

/** Posts a part as watch towers do: with the hash of its document alone. */
function post({ order, signature }: { order: OrderData; signature: string }, from: Address) {
  const { validTo, partiallyFillable, kind, appData, ...rest } = order
  const { sellAmount, buyAmount, feeAmount, ...tokens } = rest
  return request(`${base()}/orders`, 'POST', {
    ...{ ...tokens, kind, validTo, partiallyFillable, appData, from, signature, signingScheme: 'eip1271' },
    ...{ sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}`, feeAmount: `${feeAmount}` },
  })
}

test('a watch tower drives a TWAP to its end by the hash of a document alone', async () => {
  const wallet = await deployWallet()
  const params = twapOf({})
  await mint(wallet, 300n * coin)
  await execute(wallet, walletCall(composableCow, calls.createNow(params)))
  const filled = new Set<string>()
  await eventually(
    'all parts are filled',
    async () => {
      const part = await poll(wallet, params)
      if (!part) return filled.size === 3
      const uid = orderUid(world.market.network, part.order, wallet)
      const found = await request(`${base()}/orders/${uid}`)
      if (found.status === 404) {
        const posted = await post(part, wallet)
        expect(posted).toMatchObject({ status: 201, body: uid })
        expect(await post(part, wallet)).toMatchObject({
          status: 400,
          body: { errorType: 'DuplicatedOrder' },
        })
      } else if (found.body.status === 'fulfilled') filled.add(uid)
      return filled.size === 3
    },
    60_000,
  )
  for (const uid of filled)
    expect((await request(`${base()}/orders/${uid}`)).body).toMatchObject({
      ...{
        status: 'fulfilled',
        executedSellAmount: `${100n * coin}`,
        appData: keccakText('a document that its owner has not uploaded'),
      },
      ...{ owner: wallet, fullAppData: null },
    })
}, 120_000)

test('an unknown document is refused for orders that the contract of conditional orders does not verify', async () => {
  const wallet = await deployWallet()
  const params = twapOf({ t: 1_000n })
  await execute(wallet, walletCall(composableCow, calls.createNow(params)))
  const part = await eventually('a part', () => poll(wallet, params))
  // The name says that the fault may pass: towers try again.
  expect(await post(part, wallet)).toMatchObject({ status: 400, body: { errorType: 'InsufficientBalance' } })
  await mint(wallet, 300n * coin)
  const cut = { ...part, signature: part.signature.slice(0, -64) }
  expect(await post(cut, wallet)).toMatchObject({ status: 400, body: { errorType: 'InvalidAppData' } })
  await execute(wallet, walletCall(composableCow, calls.remove(params)))
  expect(await post(part, wallet)).toMatchObject({ status: 400, body: { errorType: 'InvalidAppData' } })
})
