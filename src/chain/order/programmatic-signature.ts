import type { Address } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderData } from '../../domain/order/order.ts'
import { composableCowAbi } from '../../domain/programmatic/abi.ts'
import { encodeOrder } from '../../domain/programmatic/encoded-order.ts'
import { composableCow } from '../../domain/programmatic/handlers.ts'
import {
  decodeProgrammaticSignature,
  encodePayload,
  type SignedPayload,
} from '../../domain/programmatic/signature.ts'
import { acceptedSignature } from '../../domain/signing/signature.ts'
import { domainSeparator, orderDigest, orderTypeHash } from '../../domain/signing/signing.ts'
import { createContractCallQueue, type Rpc } from '../rpc/rpc.ts'
import { asOutage, isExecutionFault, isTimeout, parseHex, toQuantity } from '../rpc/wire.ts'

interface SignedPart {
  order: OrderData
  owner: Address
  signature: Hex
}

/**
 * Reports whether an order is a part of a programmatic order that its owner has authorised: the contract of
 * conditional orders verifies it at the newest block. Code of a handler that exceeds the gas limit or timeout
 * does not verify.
 * @param meter counts the gas that the call may use, before it
 * @throws Outage; Refusal Unavailable if the queue is full, RateLimited
 */
export type CheckProgrammatic = (signed: SignedPart, meter?: GasMeter) => Promise<boolean>

interface ProgrammaticCheckOptions {
  network: Network
  /** The client of the node. Its timeout limits the handler's code. It must not retry. */
  rpc: Rpc
  limits: { signatureGas: bigint; atOnce: number }
}

/** Gas of the call itself: a signature of the largest size as calldata. */
const ownGas = 1_500_000n

export function createProgrammaticCheck({
  network,
  rpc,
  limits,
}: ProgrammaticCheckOptions): CheckProgrammatic {
  const enqueue = createContractCallQueue(limits.atOnce)
  const separator = domainSeparator(network)
  const to = network.conditionalOrders?.composableCow ?? composableCow

  async function check({ order, owner }: SignedPart, payload: SignedPayload): Promise<boolean> {
    const data = composableCowAbi.encodeFunctionData('isValidSafeSignature', [
      owner,
      network.settlement,
      orderDigest(network, order),
      separator,
      orderTypeHash,
      `0x${encodeOrder(order)}`,
      encodePayload(payload),
    ])
    const gas = toQuantity(limits.signatureGas + ownGas)
    const call = { from: network.settlement, to, data, gas }
    try {
      return parseHex(await rpc.call('eth_call', [call, 'latest'])).startsWith(acceptedSignature)
    } catch (fault) {
      if (isExecutionFault(fault) || isTimeout(fault)) return false
      throw asOutage(fault)
    }
  }

  return async (signed, meter) => {
    const payload = decodeProgrammaticSignature(signed.signature)
    if (!payload) return false
    meter?.takeGas?.(limits.signatureGas)
    return await enqueue(() => check(signed, payload))(signed.owner)
  }
}
