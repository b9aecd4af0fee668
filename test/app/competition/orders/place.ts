import { setTimeout as pause } from 'node:timers/promises'
import { concat, Interface, SigningKey, TypedDataEncoder } from 'ethers'
import { type Address, nativeMarker } from '../../../../src/domain/evm/address.ts'
import { keccakText } from '../../../../src/domain/evm/keccak.ts'
import { orderTypes } from '../../../../src/domain/signing/signing.ts'
import { ask, blockTime, type Ground, send } from '../ground.ts'
import { type Crowd, tokenAbi, walletAbi, worthIn } from './crowd.ts'
import type { Plan } from './plan.ts'

/** An order in the book, or on the chain. */
export interface Placed {
  plan: Plan
  uid: string
  owner: string
}

const ethFlowAbi = new Interface([
  'function createOrder((address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, bytes32 appData, uint256 feeAmount, uint32 validTo, bool partiallyFillable, int64 quoteId) data) payable returns (bytes32)',
  'function invalidateOrder((address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, bytes32 appData, uint256 feeAmount, uint32 validTo, bool partiallyFillable, int64 quoteId) data)',
])
const contractAbi = new Interface([
  'function setPreSignature(bytes orderUid, bool signed)',
  'function invalidateOrder(bytes orderUid)',
])

/** The time from placing to cancelling. */
const regretMs = 2_500
/** The maximum wait for a part to be filled. */
const partMs = 30_000
const partner = '0x00000000000000000000000000000000000fa12e'

/** Places an order by its plan, and performs its owner's later actions. @throws when it is refused */
async function placeOrder(ground: Ground, crowd: Crowd, plan: Plan): Promise<Placed> {
  const terms = await quotedTerms(ground, crowd, plan)
  return plan.scheme === 'chain' ? placeOnChain(ground, terms) : placeSigned(ground, terms)
}

type Terms = Awaited<ReturnType<typeof quotedTerms>>

/** Returns the order's amounts, from a quote. */
async function quotedTerms(ground: Ground, crowd: Crowd, plan: Plan) {
  const { market } = ground
  const { kind, scheme, worth, asks } = plan
  const signer = crowd.signers[plan.account]
  if (!signer) throw new Error('the crowd has no such account')
  const onChain = scheme === 'chain'
  const byContract = scheme === 'wallet' || scheme === 'poor'
  const contract = scheme === 'poor' ? crowd.poor.get(plan.number) : signer.contract
  const owner = byContract && contract ? contract : signer.account.address
  const tokenOf = (symbol: Plan['sell']) =>
    symbol === 'native' ? nativeMarker : market.tokens[symbol].address
  const sellToken = plan.sell === 'native' ? market.network.wrappedNative : tokenOf(plan.sell)
  const document = documentOf(plan)
  const signingScheme = onChain || byContract ? 'eip1271' : scheme
  const pair = { sellToken, buyToken: tokenOf(plan.buy) }
  const asked = {
    ...pair,
    from: owner,
    receiver: owner,
    kind,
    signingScheme,
    ...(onChain && { onchainOrder: true }),
    appData: document,
    ...(kind === 'sell'
      ? { sellAmountBeforeFee: `${worthIn(plan.sell, worth)}` }
      : { buyAmountAfterFee: `${worthIn(plan.buy, worth)}` }),
  }
  const { status, body } = await ask(ground, '/api/v1/quote', 'POST', asked)
  if (status !== 200) throw new Error(`quote of order ${plan.number}: ${status} ${JSON.stringify(body)}`)
  const { sellAmount, feeAmount, buyAmount } = body.quote
  const whole = BigInt(sellAmount) + BigInt(feeAmount)
  const now = Math.max(Math.floor(Date.now() / 1_000), await blockTime(ground))
  return {
    plan,
    signer,
    owner,
    ...pair,
    sellAmount: kind === 'sell' ? whole : (whole * 1_000n) / asks,
    buyAmount: kind === 'sell' ? (BigInt(buyAmount) * asks) / 1_000n : BigInt(buyAmount),
    validTo: now + plan.lives,
    document,
    quoteId: body.id as number,
    signingScheme,
  }
}

/** Returns a separate document for each order, so that no two have the same UID. */
function documentOf({ number, partnerFee }: Plan): string {
  const metadata = partnerFee ? { partnerFee: { ...partnerFee, recipient: partner } } : {}
  return JSON.stringify({ appCode: `competition ${number}`, metadata, version: '1.4.0' })
}

async function placeSigned(ground: Ground, terms: Terms): Promise<Placed> {
  const { plan, signer, owner, signingScheme } = terms
  const { chainId, settlement } = ground.market.network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: settlement }
  const order = {
    sellToken: terms.sellToken,
    buyToken: terms.buyToken,
    receiver: owner,
    sellAmount: `${terms.sellAmount}`,
    buyAmount: `${terms.buyAmount}`,
    validTo: terms.validTo,
    appData: keccakText(terms.document),
    feeAmount: '0',
    kind: plan.kind,
    partiallyFillable: plan.partiallyFillable,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const digest = TypedDataEncoder.hash(domain, orderTypes, order)
  const key = new SigningKey(signer.account.privateKey)
  const signature =
    signingScheme === 'presign'
      ? '0x'
      : signingScheme === 'ethsign'
        ? signer.wallet.signMessageSync(Buffer.from(digest.slice(2), 'hex'))
        : key.sign(digest).serialized
  const body = {
    ...order,
    appData: terms.document,
    appDataHash: order.appData,
    from: owner,
    signature,
    signingScheme,
    quoteId: terms.quoteId,
  }
  const { status, body: uid } = await ask(ground, '/api/v1/orders', 'POST', body)
  if (status !== 201) throw new Error(`order ${plan.number}: ${status} ${JSON.stringify(uid)}`)
  if (signingScheme === 'presign') {
    const data = contractAbi.encodeFunctionData('setPreSignature', [uid, true])
    await send(ground, signer.account.address, { to: settlement, data })
  }
  if (plan.scheme === 'poor') await fillInPart(ground, signer.account.address, owner, { ...terms, uid })
  else if (plan.ending === 'cancelled') await cancel(ground, terms, domain, uid)
  return { plan, uid, owner }
}

/** Removes a third of the wallet's sell tokens after the check; cancels the order once the rest is sold. */
async function fillInPart(
  ground: Ground,
  signer: Address,
  wallet: Address,
  { uid, sellToken, sellAmount }: Terms & { uid: string },
): Promise<void> {
  const act = (to: Address, call: string) =>
    send(ground, signer, { to: wallet, data: walletAbi.encodeFunctionData('execute', [to, 0n, call]) })
  await act(sellToken, tokenAbi.encodeFunctionData('transfer', [signer, sellAmount / 3n]))
  const deadline = performance.now() + partMs
  for (;;) {
    const { body } = await ask(ground, `/api/v1/orders/${uid}`)
    if (body.executedSellAmount !== '0' || performance.now() > deadline) break
    await pause(500)
  }
  await act(ground.market.network.settlement, contractAbi.encodeFunctionData('invalidateOrder', [uid]))
}

async function cancel(ground: Ground, { plan, signer }: Terms, domain: object, uid: string): Promise<void> {
  await pause(regretMs)
  const types = { OrderCancellations: [{ name: 'orderUids', type: 'bytes[]' }] }
  const orderUids = [uid]
  const signature = await signer.wallet.signTypedData(domain, types, { orderUids })
  const body = { orderUids, signature, signingScheme: 'eip712' }
  const { status } = await ask(ground, '/api/v1/orders', 'DELETE', body)
  if (status !== 200) throw new Error(`cancelling order ${plan.number}: ${status}`)
}

/** Sells native coins through the contract for native sell orders. */
async function placeOnChain(ground: Ground, terms: Terms): Promise<Placed> {
  const { plan, signer, sellAmount, validTo } = terms
  const { network } = ground.market
  const [ethFlow] = network.ethFlows
  if (!ethFlow) throw new Error('the network has no contract for native coins')
  const appData = keccakText(terms.document)
  const data = {
    buyToken: terms.buyToken,
    receiver: signer.account.address,
    sellAmount,
    buyAmount: terms.buyAmount,
    appData,
    feeAmount: 0n,
    validTo,
    partiallyFillable: plan.partiallyFillable,
    quoteId: terms.quoteId,
  }
  // The chain has only the document's hash.
  await ask(ground, `/api/v1/app_data/${appData}`, 'PUT', { fullAppData: terms.document })
  const call = (name: string) => ethFlowAbi.encodeFunctionData(name, [data])
  const creation = { to: ethFlow, data: call('createOrder'), value: sellAmount }
  await send(ground, signer.account.address, creation)
  if (plan.ending === 'cancelled') {
    await pause(regretMs)
    await send(ground, signer.account.address, { to: ethFlow, data: call('invalidateOrder') })
  }
  const domain = {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: network.chainId,
    verifyingContract: network.settlement,
  }
  const digest = TypedDataEncoder.hash(domain, orderTypes, {
    sellToken: network.wrappedNative,
    ...data,
    validTo: 2 ** 32 - 1,
    kind: 'sell',
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  })
  return { plan, uid: concat([digest, ethFlow, '0xffffffff']), owner: ethFlow }
}

/** Places orders evenly over the time, in sequence. @returns the placed ones, and the others' faults */
export async function placeAll(
  ground: Ground,
  crowd: Crowd,
  plans: readonly Plan[],
  seconds: number,
  signal: AbortSignal,
): Promise<{ placed: Placed[]; faults: string[] }> {
  const everyMs = (seconds * 1_000) / plans.length
  const started = performance.now()
  const ends: Promise<PromiseSettledResult<Placed>[]>[] = []
  for (const [index, plan] of plans.entries()) {
    const due = started + index * everyMs - performance.now()
    if (due > 0) await pause(due, undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    ends.push(Promise.allSettled([placeOrder(ground, crowd, plan)]))
  }
  const settled = (await Promise.all(ends)).flat()
  return {
    placed: settled.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])),
    faults: settled.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : [])),
  }
}
