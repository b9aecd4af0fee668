import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Transaction } from 'ethers'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { allowSolvers } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { numbered } from '../fakes/order.ts'
import type { TestChain } from './chain.ts'

interface Call {
  method: string
  params: unknown[]
}

/** A JSON-RPC result or error, or undefined for a call that the node behind answers. */
type Intercept = (call: Call) => Promise<{ result: unknown } | { error: object } | undefined>

/** A node before another one. Calls that are intercepted do not reach that one. */
export async function startRelayedNode(rpcUrl: string, intercept: Intercept) {
  const forward = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  const answer = async (call: Call & { id: unknown }) => {
    const own = await intercept(call)
    return own ? { jsonrpc: '2.0', id: call.id, ...own } : forward(call)
  }
  const server = createServer(async (req, res) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = JSON.parse(String(Buffer.concat(chunks)))
      const answers = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers))
    } catch {
      res.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Code that calls a contract with what it was called with, and fails if that fails. */
export const forwarding = (to: Address): Hex =>
  `0x36600060003760006000366000600073${to.slice(2)}5af115602b57005b60006000fd`

/**
 * A node through which each `every`th settlement of the market's solver reaches the settlement contract
 * through another contract, in place of the transaction that the solver signed.
 */
export async function startWrappingNode({ rpc, rpcUrl, market }: TestChain, every: number) {
  const { settlement } = market.network
  const wrapper = numbered('b1')
  await rpc.call('anvil_setCode', [wrapper, forwarding(settlement)])
  await allowSolvers(rpc, [{ address: wrapper }])
  await rpc.call('anvil_impersonateAccount', [market.solver.address])
  const nonces = new Map<number, boolean>()
  let wrapped = 0
  const node = await startRelayedNode(rpcUrl, async ({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    const { hash, nonce, from, to, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(
      String(params[0]),
    )
    const isSettlement =
      from?.toLowerCase() === market.solver.address && to?.toLowerCase() === settlement && data !== '0x'
    if (!isSettlement) return undefined
    const isWrapped = nonces.get(nonce) ?? nonces.size % every === every - 1
    nonces.set(nonce, isWrapped)
    if (!isWrapped) return undefined
    const fees = [maxFeePerGas ?? 0n, maxPriorityFeePerGas ?? 0n].map(toQuantity)
    const sent = {
      from,
      to: wrapper,
      data,
      nonce: toQuantity(nonce),
      gas: toQuantity(gasLimit + 200_000n),
      maxFeePerGas: fees[0],
      maxPriorityFeePerGas: fees[1],
    }
    try {
      await rpc.call('eth_sendTransaction', [sent])
      wrapped += 1
    } catch {
      // It was sent before.
    }
    return { result: hash }
  })
  return { ...node, wrapped: () => wrapped }
}
