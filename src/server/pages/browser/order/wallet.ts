import { signTypedData } from '../../../../client/signer.ts'
import { cancellationTypedData, domainOf, orderUid } from '../../../../client/typed-data.ts'
import { messageOf, queryService, Refused } from '../ask.ts'
import { short } from '../view/amounts.ts'
import { OtherAccount, type Wallet } from '../view/wallets.ts'
import { documents } from './documents.ts'
import type { Order } from './order.ts'

type Provider = Wallet['provider']

/** The wallet is on another network than the order. */
export class OtherNetwork extends Error {}

/** A fault whose message is for people. */
class Stopped extends Error {}

const hexOf = (value: number | bigint) => `0x${value.toString(16)}`
const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** The wallet has the owner’s account, and is on the order’s network. @throws OtherAccount; OtherNetwork */
async function checkWallet(provider: Provider, { owner, network }: Order): Promise<void> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (!accounts.some((account) => account.toLowerCase() === owner)) throw new OtherAccount(accounts[0] ?? '')
  if (Number(await provider.request({ method: 'eth_chainId' })) !== network.chainId) throw new OtherNetwork()
}

/**
 * The signing domain of the order. The order id is the hash of all terms in this domain: both are checked
 * against the id in the address of the page.
 * @throws Stopped if they differ
 */
function domainFor(order: Order, uid: string) {
  const domain = domainOf(order.network.chainId, order.network.settlementContract)
  const terms = {
    ...order,
    sellToken: order.sellToken.address,
    buyToken: order.buyToken.address,
    receiver: order.receiver ?? '0x',
    appData: order.appDataHash,
    kind: order.kind.toLowerCase(),
    sellTokenBalance: order.sellTokenBalance.toLowerCase(),
    buyTokenBalance: order.buyTokenBalance.toLowerCase(),
  }
  if (orderUid(domain, terms, order.owner) === uid) return domain
  throw new Stopped(
    'The service describes another order than the one in this page’s address. Nothing was signed.',
  )
}

/**
 * Lets the wallet sign the cancellation, and sends it.
 * @param uid from the address of the page
 * @returns true if a settlement on its way can still fill the order
 * @throws errors of the wallet and of the service
 */
export async function cancelWith(provider: Provider, order: Order, uid: string): Promise<boolean> {
  await checkWallet(provider, order)
  const payload = cancellationTypedData(domainFor(order, uid), [uid])
  const signature = await signTypedData(provider, payload, order.owner)
  const network = String(order.network.chainId)
  const input = { orderUids: [uid], signature, signingScheme: 'EIP712' as const, network }
  const { cancelOrders } = await queryService(documents.cancelOrder, { input })
  return cancelOrders.orders.some(({ pendingSettlements }) => pendingSettlements.length > 0)
}

const vaultRelayerOf = '0x9b552cc2' // vaultRelayer()
const approveTo = '0x095ea7b3' // approve(address,uint256)
const allowanceOf = '0xdd62ed3e' // allowance(address,address)

/**
 * Lets the wallet approve this amount of the sell token, and no more, for the vault relayer.
 * @param uid from the address of the page
 * @returns the hash of the transaction
 * @throws errors of the wallet
 */
export async function approveWith(
  provider: Provider,
  order: Order,
  uid: string,
  amount: bigint,
): Promise<string> {
  await checkWallet(provider, order)
  const { verifyingContract } = domainFor(order, uid)
  const { chainId, vaultRelayer } = order.network
  const call = { to: verifyingContract, data: vaultRelayerOf }
  const relayer = await provider.request({ method: 'eth_call', params: [call, 'latest'] })
  if (`0x${String(relayer).slice(-40)}`.toLowerCase() !== vaultRelayer)
    throw new Stopped('The service and the chain name different spenders. Nothing was approved.')
  const approve = `${approveTo}${word(BigInt(vaultRelayer))}${word(amount)}`
  await checkReplacement(provider, order, approve)
  const transaction = {
    from: order.owner,
    to: order.sellToken.address,
    data: approve,
    chainId: hexOf(chainId),
  }
  return String(await provider.request({ method: 'eth_sendTransaction', params: [transaction] }))
}

/**
 * Simulates an approval that replaces another approval: tokens such as USDT refuse that.
 * @throws Stopped if the token refuses it; errors of the wallet
 */
async function checkReplacement(
  provider: Provider,
  { owner, sellToken, network }: Order,
  approve: string,
): Promise<void> {
  const from = { from: owner, to: sellToken.address }
  const data = `${allowanceOf}${word(BigInt(owner))}${word(BigInt(network.vaultRelayer))}`
  const allowance = await provider.request({ method: 'eth_call', params: [{ ...from, data }, 'latest'] })
  if (/^0x0*$/.test(String(allowance))) return
  try {
    await provider.request({ method: 'eth_call', params: [{ ...from, data: approve }, 'latest'] })
  } catch (fault) {
    // Wallets wrap a revert in codes of their own.
    if (walletErrorOf(fault) !== undefined) throw fault
    throw new Stopped('Set the approval of this token to 0 in the wallet first, then approve here.')
  }
}

const [receiptMs, maxReceipts] = [1_000, 300]

/** Waits until the transaction is in a block. @returns false if it failed, undefined if it is in none yet */
export async function mined(provider: Provider, hash: string): Promise<boolean | undefined> {
  for (let reads = 0; reads < maxReceipts; reads++) {
    const receipt = await receiptOf(provider, hash)
    if (receipt) return Number(receipt.status) === 1
    await new Promise((resolve) => setTimeout(resolve, receiptMs))
  }
  return undefined
}

/** A receipt; a rejected read counts as none. */
async function receiptOf(provider: Provider, hash: string): Promise<{ status: string } | null> {
  try {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    return receipt as { status: string } | null
  } catch {
    return null
  }
}

/** Switches the wallet to the network of the order. @throws errors of the wallet */
export async function switchNetwork(provider: Provider, { network }: Order): Promise<void> {
  const params = [{ chainId: hexOf(network.chainId) }]
  await provider.request({ method: 'wallet_switchEthereumChain', params })
}

const maxText = 300

/** Codes of EIP-1193, EIP-1474 and EIP-3085. */
const walletErrors: Readonly<Record<number, string>> = {
  4001: 'You declined the request in the wallet. Nothing was signed or sent.',
  4100: 'The wallet does not let this page use the account. Connect the account to this page in the wallet, then try again.',
  4200: 'The wallet does not support this request. Try another wallet.',
  4900: 'The wallet has no connection. Check its network settings, then try again.',
  4901: 'The wallet has no connection to this network. Check its network settings, then try again.',
  4902: 'The wallet does not know this network. Add the network to the wallet, then try again.',
  [-32_002]: 'An earlier request is still open in the wallet. Open the wallet and answer it first.',
}

const walletErrorOf = (fault: unknown) => walletErrors[Number((fault as { code?: unknown } | null)?.code)]

/** A fault in words: of the wallet, its choice of account, or the service. */
export function faultWords(fault: unknown, { owner }: Order): string {
  if (fault instanceof OtherAccount) {
    const account =
      fault.account === '' ? 'gives this page no account' : `is on the account ${short(fault.account)}`
    return `The wallet ${account}. The order belongs to ${short(owner)}: choose that account in the wallet, then try again.`
  }
  if (fault instanceof Stopped || fault instanceof Refused) return fault.message
  const known = walletErrorOf(fault)
  if (known !== undefined) return known
  const { message } = (fault ?? {}) as { message?: unknown }
  const text = typeof message === 'string' ? message : messageOf(fault)
  if (/insufficient funds/i.test(text))
    return 'The account has too little of the network’s coin to pay for the transaction. Nothing was sent.'
  return `The wallet reports an error: ${text.slice(0, maxText)}`
}
