import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseHex, parseObject } from '../rpc/wire.ts'
import { byPlace, readLogs } from './logs.ts'
import { parseSettlementLog, type SettlementLog, settlementEvents } from './settlement-logs.ts'
import { type TokenLog, toTokenLogs, transferEvents } from './transfer-logs.ts'

export type ChainLog = SettlementLog | TokenLog

export interface ChainLogOptions {
  rpc: Rpc
  network: Pick<Network, 'settlement' | 'holderTokens' | 'wrappedNative'>
  log: Log
}

/**
 * What the settlement contract and the tokens whose holders are told logged in these blocks, both ends included, by block and log index,
 * in one question. Each is read by its own rules: a token can log what looks like a trade. Logs of other events, and logs that the
 * settlement contract cannot have written, are left out.
 * @throws Outage as `readLogs` does
 */
export async function chainLogs(
  { rpc, network, log }: ChainLogOptions,
  fromBlock: number,
  toBlock: number,
): Promise<ChainLog[]> {
  const { settlement } = network
  const tokens = network.holderTokens.map(({ address }) => address)
  const filter = {
    addresses: [settlement, ...tokens],
    events: [...settlementEvents, ...transferEvents(tokens, network)],
  }
  const raw = await readLogs(rpc, filter, fromBlock, toBlock)
  const settlementLogs = raw.flatMap((item) => {
    if (parseHex(parseObject(item).address, 20) !== settlement) return []
    const parsed = parseSettlementLog(item)
    if (parsed === 'malformed') log.warn('skipped a malformed settlement log', { log: item })
    return typeof parsed === 'object' ? [parsed] : []
  })
  return [...settlementLogs, ...toTokenLogs(raw, tokens, network)].sort(byPlace)
}
