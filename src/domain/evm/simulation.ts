import {
  address,
  bytes32,
  described,
  digits,
  flag,
  from,
  hex,
  json,
  objectOf,
  safeInt,
  text,
  token,
  type ValueOf,
} from '../described.ts'
import type { Interactions, OrderData, SigningScheme } from '../order/order.ts'
import type { RanHooks } from '../settlement/hooks.ts'
import type { Address } from './address.ts'
import type { Bytes32, Hex } from './hex.ts'

/** A transaction of a bundle. Each one runs on the state that the previous one leaves. */
export interface BundleTransaction {
  from: Address
  to: Address
  input: Hex
  /** The value in native atoms. */
  value: bigint
  /** The gas limit; null for an equal share of the bundle's limit. */
  gas: number | null
}

const decodedArgument = described('DecodedArgument', 'An argument of an event.', {
  name: text('The name in the event.'),
  type: text('The type in Solidity.'),
  value: text('Numbers as decimals, addresses and bytes as hex.'),
})

const decodedEvent = described('DecodedEvent', 'The event that a log stands for.', {
  name: text('The name, such as Transfer.'),
  arguments: objectOf(decodedArgument).list('Its arguments in order.'),
})
export type DecodedEvent = ValueOf<typeof decodedEvent>

const simulatedLog = described('SimulatedLog', 'A log that a transaction would write.', {
  address: address('The contract that writes it.'),
  topics: bytes32.list('The event and its indexed arguments.'),
  data: hex('The arguments that are not indexed.'),
  event: objectOf(decodedEvent).orNull(
    'The decoded event, if it is one of tokens, wrapped coins, pools or the settlement contract; else null. Any contract can write such a log.',
  ),
})
export type SimulatedLog = ValueOf<typeof simulatedLog>

const balanceChange = described(
  'BalanceChange',
  'The change of an account’s balance of a token since the start of the bundle.',
  {
    account: address('The account of the balance.'),
    token: token('The token; 0xEeee… is the chain’s own coin, without what gas costs.'),
    change: digits('Atoms as digits, with a minus sign for less. By `balanceOf` of the token.'),
  },
)
export type BalanceChange = ValueOf<typeof balanceChange>

const storageChange = described('StorageChange', 'A slot that would not be as before the bundle.', {
  account: address('The account of the storage.'),
  slot: bytes32('Its key.'),
  before: bytes32('Its value before the bundle.'),
  after: bytes32('Its value after the transaction.'),
})
export type StorageChange = ValueOf<typeof storageChange>

const whySimulationFails = text.orNull('The contract’s reason for a failure; null if it would succeed.')

const simulatedTransaction = described(
  'SimulatedTransaction',
  'The result of a simulated transaction. Changes are those of the bundle up to and including it.',
  {
    succeeds: flag('True if it would succeed.'),
    error: whySimulationFails,
    gasUsed: safeInt('Gas, with the transaction’s own.'),
    logs: objectOf(simulatedLog).list(
      'The logs, in their order: up to 500 of a bundle, with 128 KiB of data.',
    ),
    hasAllLogs: flag('True if `logs` has all logs.'),
    balanceChanges: from(
      'balances',
      objectOf(balanceChange).list('Changes of the accounts that logs and transfers of native coin name.'),
    ),
    hasAllBalanceChanges: from(
      'hasAllBalances',
      flag('True if the balances of all accounts in logs and transfers were read: up to 64 for a bundle.'),
    ),
    storageChanges: from(
      'storage',
      objectOf(storageChange).listOrNull(
        'Null where the node does not trace, not in time, or too many slots change.',
      ),
    ),
  },
)
export type SimulatedTransaction = ValueOf<typeof simulatedTransaction>

export const bundleSimulation = described(
  'BundleSimulation',
  'The results of transactions that are sent one after the other.',
  {
    block: safeInt('The block on whose state they run.'),
    transactions: objectOf(simulatedTransaction).list('The results, in the order of the input.'),
  },
)
export type BundleSimulation = ValueOf<typeof bundleSimulation>

export const bundleLimits = {
  transactions: 10,
  /** The limit of all inputs together, in bytes. */
  inputBytes: 49_152,
  /** The limit of all transactions together, in gas. */
  gas: 30_000_000,
}

/** An order to simulate: signed, and possibly filled in part. */
export interface SimulatedOrder extends OrderData {
  owner: Address
  signingScheme: SigningScheme
  /** The signature in the settlement contract's form; null simulates the order as if it were signed. */
  signature: Hex | null
  interactions: Interactions
  /** The filled atoms of the fixed side. */
  filled: bigint
}

/** The use of an order's simulation. */
export interface SimulationUse {
  /** True to trace a settlement that succeeds, which runs it once more, for the gas of its hooks. */
  tracesHooks: boolean
  /** True to give the owner the sold tokens and their allowance. */
  fundsOwner: boolean
}

/** State that replaces an account's own state in the simulated call. */
export interface StateOverride {
  balance?: Hex
  code?: Hex
  stateDiff?: Record<Bytes32, Hex>
}

export const simulatedSettlement = described(
  'OrderSimulation',
  'The result of a simulated settlement of one order alone, at its limit price.',
  {
    error: whySimulationFails,
    block: safeInt.orNull('The block that was named; null is the newest.'),
    from: address('The made-up solver that sends it.'),
    to: address('The settlement contract.'),
    input: hex('The call of that contract.'),
    gas: safeInt('The maximum gas that it may use.'),
    stateOverrides: from(
      'overrides',
      json(
        'State that replaces an account’s own in the simulation, as a node takes it: the solver is allowed, and the contract has the bought tokens.',
      ),
    ),
  },
)

export interface OrderSimulation extends ValueOf<typeof simulatedSettlement> {
  overrides: Record<Address, StateOverride>
  /**
   * True if the simulated solver had the funds that it pays with. Otherwise the settlement may have failed
   * for lack of them.
   */
  isFunded: boolean
  /** The hooks that ran; null if they were not traced, or the node does not show them. */
  hooks: RanHooks | null
}
