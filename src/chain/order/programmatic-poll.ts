import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { composableCowAbi, decodeTradeableOrder, type TradeableOrder } from '../../domain/programmatic/abi.ts'
import type { ConditionalOrderParams } from '../../domain/programmatic/params.ts'
import { decodePollFault, type PollFault } from '../../domain/programmatic/revert.ts'
import { TooLarge } from '../rpc/post.ts'
import { revertData } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, isExecutionFault, isTimeout, parseHex, toQuantity } from '../rpc/wire.ts'

/** The part that can be traded at the newest block, or why there is none. */
export type PollAnswer = { part: TradeableOrder } | { fault: PollFault } | { exceeded: 'time' | 'size' }

/** @param proof to the owner's root; empty for a single order. @throws Outage */
export type PollProgrammatic = (
  owner: Address,
  params: ConditionalOrderParams,
  proof: readonly Bytes32[],
) => Promise<PollAnswer>

interface ProgrammaticPollOptions {
  network: Pick<Network, 'settlement' | 'conditionalOrders'>
  /** The client of the node. Its timeout and size limit the handler's code. It must not retry. */
  rpc: Rpc
  /** Gas for the handler and the wallet. */
  gas: bigint
  /** Limit in bytes. */
  maxSignature: number
}

/** Gas of the call itself: an input of the largest size as calldata. */
const ownGas = 1_500_000n

/** Creates a poll of orders, as the settlement contract would see them. */
export function createProgrammaticPoll({
  network,
  rpc,
  gas,
  maxSignature,
}: ProgrammaticPollOptions): PollProgrammatic {
  return async (owner, params, proof) => {
    const call = {
      from: network.settlement,
      to: network.conditionalOrders?.composableCow,
      data: composableCowAbi.encodeFunctionData('getTradeableOrderWithSignature', [
        owner,
        params,
        '0x',
        proof,
      ]),
      gas: toQuantity(gas + ownGas),
    }
    try {
      const part = decodeTradeableOrder(parseHex(await rpc.call('eth_call', [call, 'latest'])), maxSignature)
      return part ? { part } : { fault: { error: 'Empty' } }
    } catch (fault) {
      if (isExecutionFault(fault)) return { fault: decodePollFault(revertData(fault.data) ?? '0x') }
      if (isTimeout(fault)) return { exceeded: 'time' }
      if (fault instanceof Outage && fault.cause instanceof TooLarge) return { exceeded: 'size' }
      throw asOutage(fault)
    }
  }
}
