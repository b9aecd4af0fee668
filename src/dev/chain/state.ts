import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Log } from '../../domain/log.ts'
import { fileExists, readJson, writeDurably } from '../home/durable-file.ts'
import type { Anvil } from './anvil.ts'

const dumpTimeoutMs = 60_000
const minPauseMs = 2_000

/** A pause of 20 times the duration of a save keeps saving below 5 % of the time. */
const pauseFactor = 20

const savedAnswer = z.object({ result: z.string().regex(/^0x([0-9a-f]{2})+$/i) })

/** Paths, newest first. */
function stateFiles(home: string): [newest: string, previous: string] {
  return [join(home, 'chain-state.json'), join(home, 'chain-state.previous.json')]
}

export function hasChainState(home: string): boolean {
  return stateFiles(home).some(fileExists)
}

/** Saved states, newest first; unreadable files are skipped. */
export function* readChainStates(home: string): Generator<string> {
  for (const path of stateFiles(home)) {
    const saved = savedAnswer.safeParse(readJson(path))
    if (saved.success) yield saved.data.result
  }
}

/**
 * Saves the chain: blocks, logs, receipts and the state at the head. The previous file is kept too. The
 * node's answer is written without parsing, because it grows with the chain (about 0.3 kB for an empty
 * block).
 */
export async function saveChainState(home: string, { rpc, rpcUrl }: Anvil): Promise<void> {
  const [newest, previous] = stateFiles(home)
  for (let attempt = 0; attempt < 5; attempt++) {
    const head = await headOf(rpc)
    const dump = await dumpState(rpcUrl)
    // A dump during which a block was mined may have that block's accounts without the block.
    if ((await headOf(rpc)) === head) return writeDurably(newest, dump, previous)
    await delay(100 * attempt)
  }
  throw new Error('no quiet moment between two blocks')
}

async function headOf(rpc: Rpc): Promise<string> {
  return rpc.call<string>('eth_blockNumber')
}

async function dumpState(rpcUrl: string): Promise<Uint8Array> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"anvil_dumpState","params":[]}',
    signal: AbortSignal.timeout(dumpTimeoutMs),
  })
  const answer = Buffer.from(await response.arrayBuffer())
  const start = answer.subarray(0, 200).toString()
  if (!start.includes('"result":"0x')) throw new Error(`anvil_dumpState: ${start}`)
  return answer
}

/** Saves repeatedly until it is stopped, and once more then. */
export function keepChainState(home: string, anvil: Anvil, log: Log): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let failing = false

  async function save(): Promise<void> {
    try {
      await saveChainState(home, anvil)
      failing = false
    } catch (cause) {
      if (!failing) log.warn('the state of the local chain could not be saved', { cause: String(cause) })
      failing = true
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const start = performance.now()
      await save()
      const pause = Math.max(minPauseMs, (performance.now() - start) * pauseFactor)
      await delay(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  const running = run()
  return {
    async stop() {
      if (stopping.signal.aborted) return
      stopping.abort()
      await running
      await save()
    },
  }
}
