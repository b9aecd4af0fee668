import type { Rpc } from '../../src/chain/rpc/rpc.ts'

/** Counts requests; a batch is one. */
export function countRequests(rpc: Rpc) {
  const counted = {
    requests: 0,
    rpc: {
      call: (method, params) => {
        counted.requests++
        return rpc.call(method, params)
      },
      batch: (calls) => {
        counted.requests++
        return rpc.batch(calls)
      },
    } satisfies Rpc as Rpc,
  }
  return counted
}

/** A node that silently ignores state overrides. */
export function ignoringOverrides(rpc: Rpc): Rpc {
  const cut = (params: readonly unknown[] = []) => params.slice(0, 2)
  return {
    call: (method, params) => rpc.call(method, cut(params)),
    batch: (calls) => rpc.batch(calls.map(({ method, params }) => ({ method, params: cut(params) }))),
  }
}

/** A node that rejects state overrides. */
export function refusingOverrides(rpc: Rpc): Rpc {
  const refused = [{}, 'latest', { unknown: { field: true } }, {}, {}, {}]
  return {
    call: (method) => rpc.call(method, refused),
    batch: (calls) => rpc.batch(calls.map(({ method }) => ({ method, params: refused }))),
  }
}
