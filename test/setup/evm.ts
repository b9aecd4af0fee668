import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { AbiCoder, Interface, type InterfaceAbi } from 'ethers'
import { createRpc, type Rpc } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { findAnvil } from '../../src/dev/chain/anvil.ts'
import { freePort } from '../../src/dev/process/process.ts'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Network } from '../../src/domain/network/network.ts'
import { silentLog } from '../fakes/silent-log.ts'

const require = createRequire(import.meta.url)

interface Contract {
  bytecode: string
  abi: InterfaceAbi
}

interface Transaction {
  to?: Address
  data: string
  from?: Address
}

/** A new EVM node; only `mine` and `send` mine blocks, never a timer. */
export async function startEvm() {
  const port = await freePort()
  const node = spawn(findAnvil(undefined), ['--port', String(port), '--no-mining', '--silent'], {
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  const rpc = createRpc({ url, log: silentLog, retries: 0 })
  await answering(rpc)
  const [first = zeroAddress] = await rpc.call<Address[]>('eth_accounts')
  const mine = (blocks = 1) => rpc.call('anvil_mine', [toQuantity(blocks)])

  let last: Promise<unknown> = Promise.resolve()

  /**
   * Mines the transaction. Runs one at a time, since two at once may get the same nonce.
   * @throws if it reverts
   */
  function send(transaction: Transaction) {
    const sent = last.then(() => sendOne(transaction))
    last = sent.catch(() => undefined)
    return sent
  }

  async function sendOne(transaction: Transaction) {
    const gas = toQuantity(9_000_000)
    const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from: first, gas, ...transaction }])
    await mine()
    const receipt = await rpc.call<{ status: Hex; contractAddress: string }>('eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt.status !== '0x1') throw new Error(`reverted: ${JSON.stringify(transaction).slice(0, 300)}`)
    return receipt
  }

  return {
    url,
    rpc,
    mine,
    send,
    account: first,
    async deploy({ bytecode, abi }: Contract, types: string[] = [], args: unknown[] = []) {
      const data = `${bytecode}${AbiCoder.defaultAbiCoder().encode(types, args).slice(2)}`
      const at = address((await send({ data })).contractAddress)
      const contract = new Interface(abi)
      return {
        address: at,
        write: (method: string, args: unknown[], from = first) =>
          send({ to: at, from, data: contract.encodeFunctionData(method, args) }),
        read: async (method: string, args: unknown[] = []): Promise<unknown> => {
          const call = { to: at, data: contract.encodeFunctionData(method, args) }
          const [value] = contract.decodeFunctionResult(method, await rpc.call('eth_call', [call, 'latest']))
          return value
        },
      }
    },
    async [Symbol.asyncDispose]() {
      node.kill('SIGKILL')
      await once(node, 'exit')
    },
  }
}

export type Evm = Awaited<ReturnType<typeof startEvm>>

/**
 * The real settlement contract; every account is a solver, since the authenticator at `allowList` accepts
 * all.
 */
export async function deploySettlement(evm: Evm) {
  const allowList = address(`0x${'a1'.repeat(20)}`)
  await evm.rpc.call('anvil_setCode', [allowList, codeReturning(1n)])
  const settlement = await evm.deploy(
    require('@cowprotocol/contracts/deployments/mainnet/GPv2Settlement.json'),
    ['address', 'address'],
    [allowList, zeroAddress],
  )
  return { settlement, allowList, vaultRelayer: address(String(await settlement.read('vaultRelayer'))) }
}

export function createNetwork(more: Partial<Network> = {}): Network {
  return {
    chainId: 31337,
    name: 'test',
    settlement: zeroAddress,
    vaultRelayer: zeroAddress,
    hooksTrampoline: zeroAddress,
    ethFlows: [],
    wrappedNative: zeroAddress,
    poolFactory: zeroAddress,
    poolProject: 'uniswap_v2',
    baseTokens: [],
    priceAmount: 10n ** 17n,
    usdReference: null,
    holderTokens: [],
    firstBlock: 0,
    finalityBlocks: 64,
    blockTimeMs: 1000,
    ...more,
  }
}

/** Contract code that returns this word for every call. */
export function codeReturning(word: bigint): Hex {
  return `0x7f${word.toString(16).padStart(64, '0')}60005260206000f3`
}

async function answering(rpc: Rpc): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      await rpc.call('eth_chainId')
      return
    } catch (fault) {
      if (performance.now() > deadline) throw fault
      await pause(10)
    }
  }
}
