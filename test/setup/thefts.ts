import { AbiCoder, type Fragment, Interface } from 'ethers'
import { encodeSettle } from '../../src/chain/settlement/call.ts'
import { allowSolvers } from '../../src/dev/market/market.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { approveCall, transferCall } from '../../src/domain/settlement/calldata.ts'
import { readCompiled } from '../chain/compiled.ts'
import type { TestChain } from './chain.ts'

/** In the order of their deployment, with the contracts that their constructors take. */
const makers = {
  BurningPool: [],
  PoolShares: [],
  Ledger: [],
  LendingPool: ['PoolShares', 'Ledger'],
  RightsBook: [],
  Facade: ['RightsBook'],
  Deeds: [],
  OldRouter: [],
  QuietToken: [],
  Locks: [],
  DeedOffice: ['Deeds'],
  Distraction: [],
  StickyToken: [],
  SpoilingToken: [],
  Crowd: [],
  RightsToken: [],
  Items: [],
  FlatteringItems: [],
  HybridItems: [],
  DoubleItems: [],
  EchoingItems: [],
  OwnItems: [],
  OwnDoubleItems: [],
  BitItems: [],
  SummingToken: [],
  CheckingToken: [],
  Manager: [],
  Clerk: ['Manager'],
  ManagedVault: ['Manager', 'Clerk'],
  Redeemer: [],
  Forger: [],
} as const
export type TheftName = keyof typeof makers

/** Contracts of items: the settlement contract has items 0, 3 and 7 of each. */
export const itemContracts = [
  'Items',
  'FlatteringItems',
  'HybridItems',
  'DoubleItems',
  'EchoingItems',
  'OwnItems',
  'OwnDoubleItems',
  'BitItems',
] as const satisfies TheftName[]

export const thief = address('0x00000000000000000000000000000000007411ef')
const erc20 = new Interface(['function balanceOf(address) view returns (uint256)'])

/**
 * Deploys the contracts of `thefts.sol` on a chain where the settlement contract holds 1,000 of each of their
 * tokens and positions, and 1,000 DAI, and gave the router allowances long ago. The first two outside solvers
 * are on the allow-list.
 */
export async function stageThefts({ rpc, market }: TestChain) {
  const { network, tokens } = market
  const { settlement } = network
  const names = Object.keys(makers) as TheftName[]
  const compiled = new Map(readCompiled('thefts.sol', names).map((one) => [one.contractName, one]))
  const abis = new Map(
    names.map((name) => [name, new Interface(compiled.get(name)?.abi as Fragment[])] as const),
  )
  const abiOf = (name: TheftName) => abis.get(name) as Interface
  const places = new Map<TheftName, Address>()
  const placeOf = (name: TheftName) => places.get(name) as Address
  const [first, second] = market.outsideSolvers
  const trader = market.accounts[0]?.address
  if (!first || !second || !trader) throw new Error('two solvers and a trader are needed')

  async function send({ target, callData }: { target?: Address; callData: Hex }, from = trader) {
    const transaction = { from, data: callData, gas: '0x1000000', ...(target && { to: target }) }
    const hash = await rpc.call('eth_sendTransaction', [transaction])
    await rpc.call('evm_mine')
    const receipt = await rpc.call<{ status: string; contractAddress: Address }>(
      'eth_getTransactionReceipt',
      [hash],
    )
    if (receipt.status !== '0x1') throw new Error('a transaction of the stage fails')
    return receipt
  }

  /** A call that a solver proposes. */
  function call(name: TheftName, method: string, values: readonly unknown[]): Interaction {
    const callData = abiOf(name).encodeFunctionData(method, values) as Hex
    return { target: placeOf(name), value: 0n, callData }
  }

  async function read(name: TheftName, method: string, values: readonly unknown[]): Promise<unknown> {
    const data = abiOf(name).encodeFunctionData(method, values)
    const returned = await rpc.call<string>('eth_call', [{ to: placeOf(name), data }, 'latest'])
    return abiOf(name).decodeFunctionResult(method, returned)[0]
  }

  async function balance(token: Address): Promise<bigint> {
    const data = erc20.encodeFunctionData('balanceOf', [settlement])
    return BigInt(await rpc.call<string>('eth_call', [{ to: token, data }, 'latest']))
  }

  /** A settlement without trades. */
  const settle = (calls: readonly Interaction[]) =>
    encodeSettle({ tokens: [], clearingPrices: [], trades: [], auctionId: 1n, interactions: [[], calls, []] })

  await allowSolvers(rpc, [first, second])
  await rpc.call('anvil_impersonateAccount', [second.address])
  for (const name of names) {
    const values = makers[name].map(placeOf)
    const types = values.map(() => 'address')
    const callData =
      `${compiled.get(name)?.bytecode}${AbiCoder.defaultAbiCoder().encode(types, values).slice(2)}` as Hex
    places.set(name, address((await send({ callData })).contractAddress))
  }
  await send(transferCall(tokens.DAI.address, settlement, 1_000n * 10n ** 18n))
  for (const [name, method] of [
    ['BurningPool', 'mint'],
    ['PoolShares', 'mint'],
    ['Ledger', 'add'],
    ['QuietToken', 'mint'],
    ['StickyToken', 'mint'],
    ['Locks', 'add'],
    ['SummingToken', 'mint'],
    ['CheckingToken', 'mint'],
  ] as const)
    await send(call(name, method, [settlement, 1_000n]))
  for (const name of itemContracts)
    for (const id of [0n, 3n, 7n]) await send(call(name, 'mint', [settlement, id]))
  await send(call('Manager', 'register', [settlement]))
  await send(call('ManagedVault', 'fund', [1_000n]))
  await send(call('Deeds', 'mint', [7n, settlement, 1_000n]))
  const allowances = [tokens.DAI.address, placeOf('QuietToken')].map((token) =>
    approveCall(token, placeOf('OldRouter'), 2n ** 255n),
  )
  await send({ target: settlement, callData: settle(allowances) }, second.address)

  /** Sends the settlement contract an atom of each of so many worthless tokens, as a stranger would. */
  async function donate(count: number): Promise<void> {
    const start = 0xd0a7ed0000n
    const topics = `73${settlement.slice(2)}60007f${keccakText('Transfer(address,address,uint256)').slice(2)}`
    // Any call with arguments returns 1, as balanceOf does; one without logs a transfer.
    const code = `0x3615600f57600160005260206000f35b6001600052${topics}60206000a300`
    const places = Array.from({ length: count }, (_, index) => start + BigInt(index))
    await rpc.batch(
      places.map((place) => ({
        method: 'anvil_setCode',
        params: [`0x${place.toString(16).padStart(40, '0')}`, code],
      })),
    )
    for (let done = 0; done < count; done += 500) {
      const { target, callData } = call('Crowd', 'callAll', [
        start + BigInt(done),
        Math.min(500, count - done),
      ])
      await send({ target, callData })
    }
  }

  return {
    donate,
    solver: first,
    placeOf,
    call,
    read,
    settle,
    send,
    /** Everything that the settlement contract holds, and the rights that it gave. */
    async holdings() {
      return {
        dai: await balance(tokens.DAI.address),
        shares: await read('BurningPool', 'balanceOf', [settlement]),
        lent: await read('PoolShares', 'balanceOf', [settlement]),
        position: await read('Ledger', 'positions', [settlement]),
        quiet: await read('QuietToken', 'balanceOf', [settlement]),
        deed: await read('Deeds', 'worth', [7n]),
        entrusted: await read('Deeds', 'entrusted', [7n]),
        allowed: await read('RightsBook', 'isAllowed', [settlement, thief]),
        rights: await read('RightsToken', 'isAllowed', [settlement, thief]),
        item: await read('Items', 'approved', [3n]),
        vault: await read('ManagedVault', 'left', []),
        delegated: await read('RightsBook', 'borrowAllowance', [settlement, thief]),
      }
    },
  }
}
