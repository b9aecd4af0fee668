import { readAppData } from '../app-data/read.ts'
import type { SimulateOrder } from '../chain/order/simulation.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import { bytesToHex, type Hex } from '../domain/evm/hex.ts'
import type { OrderSimulation } from '../domain/evm/simulation.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import { filledAmount, type OrderUid } from '../domain/order/order.ts'
import { readSignature, unwrapped } from '../domain/signing/signature.ts'
import { isEcdsa } from '../domain/signing/signing.ts'
import { findOrder } from '../storage/order/orders.ts'
import type { OrderServices } from './check.ts'
import { toInteractions } from './interactions.ts'
import { maxContractSignature } from './owner.ts'

/** An order that need not be stored, nor be acceptable. */
export type OrderToSimulate = Omit<OrderCreation, 'from' | 'quoteId' | 'fullBalanceCheck'> & {
  owner: Address
}

type SimulationServices = Pick<OrderServices, 'network' | 'db' | 'appDataSources'> & {
  simulateOrder: SimulateOrder
}

/** Simulates the rest of a stored order. @throws Refusal OrderNotFound; what `SimulateOrder` throws */
export async function simulateStored(
  uid: OrderUid,
  block: number | null,
  { network, db, simulateOrder }: SimulationServices,
): Promise<OrderSimulation> {
  const order = await findOrder(db, uid, network.chainId)
  if (!order) throw new Refusal('OrderNotFound', 'Order was not found')
  return simulateOrder({ ...order, filled: filledAmount(order) }, block)
}

/**
 * Simulates an order as a client describes it. No gateway is asked to find its document.
 * @throws Refusal InvalidParameter, BadRequest for its appData; what `SimulateOrder` throws
 */
export async function simulateGiven(
  given: OrderToSimulate,
  block: number | null,
  { network, appDataSources, simulateOrder }: SimulationServices,
): Promise<OrderSimulation> {
  const signature = encodable(given)
  const interactions = toInteractions(await readDocument(given, appDataSources), network.hooksTrampoline)
  const order = { ...given, appData: given.appData.hash, signature, interactions, filled: 0n }
  return simulateOrder(order, block)
}

async function readDocument({ appData }: OrderToSimulate, sources: SimulationServices['appDataSources']) {
  try {
    return (await readAppData(appData, { ...sources, gateway: null })).parsedAppData
  } catch (fault) {
    if (fault instanceof Refusal) throw new Refusal('BadRequest', fault.message, { field: 'appData' })
    throw fault
  }
}

/** The signature in the form of the settlement contract. The simulation shows whether it is right. */
function encodable({ signingScheme, signature }: OrderToSimulate): Hex {
  if (isEcdsa(signingScheme)) {
    const read = readSignature(signature)
    if ('fault' in read) throw malformed('must be 65 bytes r‖s‖v, or the 64 compact ones of EIP-2098')
    return `${bytesToHex(read.rs)}${(read.recoveryId + 27).toString(16)}` as Hex
  }
  if (signature.length > 2 + 2 * maxContractSignature)
    throw malformed(`must be at most ${maxContractSignature} bytes`)
  return signingScheme === 'presign' ? '0x' : unwrapped(signature)
}

const malformed = (expectation: string) =>
  new Refusal('InvalidSignature', `signature ${expectation}`, { field: 'signature' })
