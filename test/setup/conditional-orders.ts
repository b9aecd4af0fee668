import { AbiCoder, concat, Interface } from 'ethers'
import { expect } from 'vitest'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { decodeTradeableOrder, type TradeableOrder } from '../../src/domain/programmatic/abi.ts'
import { composableCow, extensibleFallbackHandler } from '../../src/domain/programmatic/handlers.ts'
import type { ConditionalOrderParams } from '../../src/domain/programmatic/params.ts'
import { encodeStaticInput, type TwapInput } from '../../src/domain/programmatic/static-input.ts'
import { domainSeparator } from '../../src/domain/signing/signing.ts'
import { calls, fallbackAbi, type WalletCall, walletAbi, walletCall } from '../chain/conditional-stage.ts'
import { readArtifact } from '../chain/contracts.ts'
import { twapHandler, word } from '../domain/programmatic/vectors.ts'
import { eventually } from './eventually.ts'
import { request } from './trader.ts'
import type { World } from './world.ts'

const tokenAbi = new Interface(readArtifact('TestToken').abi)
export const coin = 10n ** 18n
const maxUint256 = 2n ** 256n - 1n

interface Receipt {
  status: string
  contractAddress: string
}

/** Posts a part as watch towers do: with the hash of its document alone. */
export function postPart(base: string, { order, signature }: TradeableOrder, from: Address) {
  const { validTo, partiallyFillable, kind, appData, ...rest } = order
  const { sellAmount, buyAmount, feeAmount, ...tokens } = rest
  return request(`${base}/orders`, 'POST', {
    ...tokens,
    kind,
    validTo,
    partiallyFillable,
    appData,
    from,
    signature,
    signingScheme: 'eip1271',
    sellAmount: `${sellAmount}`,
    buyAmount: `${buyAmount}`,
    feeAmount: `${feeAmount}`,
  })
}

/** Wallets with programmatic orders on the chain of a world. */
export async function conditionalOrders({ chain, market }: Pick<World, 'chain' | 'market'>) {
  const { rpc } = chain
  const person = market.accounts[0]?.address ?? zeroAddress
  await rpc.call('anvil_autoImpersonateAccount', [true])

  /** One at a time: the node would give two the same nonce. */
  let last: Promise<unknown> = Promise.resolve()
  async function send(from: Address, to: Address | undefined, data: string): Promise<Receipt> {
    const transaction = { from, ...(to && { to }), data, gas: '0x2dc6c0' }
    const sent = last.then(() => rpc.call('eth_sendTransaction', [transaction]))
    last = sent.catch(() => undefined)
    const hash = await sent
    const receipt = await eventually('it is mined', () =>
      rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash]).then((found) => found ?? undefined),
    )
    expect(receipt.status).toBe('0x1')
    return receipt
  }

  const execute = (wallet: Address, ...made: WalletCall[]) =>
    send(person, wallet, walletAbi.encodeFunctionData('execute', [made]))

  let salts = 0
  return {
    send: (to: Address, data: string) => send(person, to, data),
    execute,
    deploy: async (code: string) => address((await send(person, undefined, code)).contractAddress),
    /** Anyone may mint. The solver must not: its own transactions would take the same nonces. */
    mint: (to: Address, amount: bigint) =>
      send(person, market.tokens.DAI.address, tokenAbi.encodeFunctionData('mint', [to, amount])),
    /** Approves DAI for the vault relayer. */
    approve: (wallet: Address, amount: bigint) =>
      execute(
        wallet,
        walletCall(
          market.tokens.DAI.address,
          tokenAbi.encodeFunctionData('approve', [market.network.vaultRelayer, amount]),
        ),
      ),
    /** A wallet like a Safe that leaves signatures to the contract of conditional orders, with an allowance. */
    async deployWallet(): Promise<Address> {
      const { network, tokens } = market
      const owners = AbiCoder.defaultAbiCoder().encode(
        ['address', 'address'],
        [person, extensibleFallbackHandler],
      )
      const code = concat([readArtifact('SafeWallet').bytecode, owners])
      const wallet = address((await send(person, undefined, code)).contractAddress)
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
    },
    /** The part that can trade at the head; undefined while there is none. */
    async poll(owner: Address, params: ConditionalOrderParams, proof: readonly Bytes32[] = []) {
      const data = calls.poll(owner, params, proof)
      const answer = await rpc
        .call<Hex>('eth_call', [{ to: composableCow, data }, 'latest'])
        .catch(() => undefined)
      return answer && decodeTradeableOrder(answer, 2_000)
    },
    salt: () => word(++salts),
    twapOf(change: Partial<TwapInput>): ConditionalOrderParams {
      const { DAI, WETH } = market.tokens
      const input: TwapInput = {
        sellToken: DAI.address,
        buyToken: WETH.address,
        receiver: zeroAddress,
        partSellAmount: 100n * coin,
        minPartLimit: 1n,
        t0: 0n,
        n: 3n,
        t: 10n,
        span: 0n,
        appData: keccakText('a document that its owner has not uploaded'),
        ...change,
      }
      return { handler: twapHandler, salt: word(++salts), staticInput: encodeStaticInput('TWAP', input) }
    },
  }
}
