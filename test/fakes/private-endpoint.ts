import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { type Hex, hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccakHex } from '../../src/domain/evm/keccak.ts'
import { startScriptedNode } from '../chain/scripted-node.ts'

/** `include`: transactions get into blocks; `keep`: they are taken, and nobody sees them; `down`: 502. */
type EndpointMood = 'include' | 'keep' | 'down'

/** A node that takes transactions only, in front of a chain. */
export async function startPrivateEndpoint(chain: Rpc) {
  const state = { mood: 'include' as EndpointMood, onSent: async () => {} }
  const sent: Hex[] = []
  const node = await startScriptedNode(() =>
    state.mood === 'down'
      ? { status: 502 }
      : {
          async answer({ method, params }) {
            if (method !== 'eth_sendRawTransaction')
              return { error: { code: -32_601, message: 'no such method' } }
            const raw = params[0] as Hex
            sent.push(raw)
            await state.onSent()
            if (state.mood === 'include') await chain.call(method, [raw]).catch(() => undefined)
            return { result: keccakHex(hexToBytes(raw)) }
          },
        },
  )
  return Object.assign(state, { ...node, sent })
}
