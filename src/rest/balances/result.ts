import type { GetNetworkAccountsAccountBalancesResult } from '../documents.generated.ts'
import { writeToken } from '../token/result.ts'

type Nodes = NonNullable<GetNetworkAccountsAccountBalancesResult['account']>['balances']['nodes']

/** Those that are known. What is no token is left out. */
export function writeBalances(nodes: Nodes) {
  return nodes.flatMap(({ token, balance, allowance }) =>
    balance === null ? [] : [{ balance, allowance: allowance ?? '0', token: writeToken(token) }],
  )
}

/** More than nothing. */
export function writeHeld(nodes: readonly { token: { address: string }; balance: string | null }[]) {
  const held = nodes.flatMap(({ token, balance }) =>
    balance === null || balance === '0' ? [] : [[token.address, balance] as const],
  )
  return { balances: Object.fromEntries(held) }
}

/** Tokens that the node cannot read now, which are missing from the body. */
export function unavailableHeader(
  nodes: readonly { token: { address: string }; state: string }[],
): Record<string, string> {
  const tokens = nodes.flatMap(({ token, state }) => (state === 'unavailable' ? [token.address] : []))
  return tokens.length > 0 ? { 'X-Unavailable-Tokens': tokens.join(', ') } : {}
}
