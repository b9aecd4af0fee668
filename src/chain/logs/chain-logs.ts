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
 * Logs of the settlement contract and of the tokens with indexed holders in a block range, both ends included, by block and log index,
 * in one request. Each contract's logs are parsed by its own rules: a token can log what looks like a trade. Logs of other events, and
 * logs that the settlement contract cannot have written, are left out.
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
  const rawLogs = await readLogs(rpc, filter, fromBlock, toBlock)
  const settlementLogs = rawLogs.flatMap((item) => {
    if (parseHex(parseObject(item).address, 20) !== settlement) return []
    const parsed = parseSettlementLog(item)
    if (parsed === 'malformed') log.warn('skipped a malformed settlement log', { log: item })
    return typeof parsed === 'object' ? [parsed] : []
  })
  return [...settlementLogs, ...toTokenLogs(rawLogs, tokens, network)].sort(byPlace)
}
