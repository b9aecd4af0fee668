/**
 * Chains by the names that clients know them by: first the path segment, then the others. Whether one is served is a matter of
 * configuration.
 */
export const networkNames: ReadonlyMap<number, readonly [string, ...string[]]> = new Map([
  [1, ['mainnet', 'ethereum', 'eth']],
  [10, ['optimism', 'op_mainnet']],
  [56, ['bnb', 'bsc', 'bnb_chain']],
  [100, ['xdai', 'gnosis', 'gnosis_chain']],
  [137, ['polygon', 'matic']],
  [8453, ['base']],
  [9745, ['plasma']],
  [42161, ['arbitrum_one', 'arbitrum']],
  [43114, ['avalanche', 'avax']],
  [57073, ['ink']],
  [59144, ['linea']],
  [11155111, ['sepolia']],
])

const chainIds: ReadonlyMap<string, number> = new Map(
  [...networkNames].flatMap(([chainId, names]) => names.map((name) => [name, chainId] as const)),
)

/** The chain that a name stands for; a chain id in digits stands for itself. Any letter case, `-` like `_`. */
export function chainIdOfName(name: string): number | undefined {
  if (/^[1-9][0-9]{0,15}$/.test(name)) return Number(name)
  return chainIds.get(name.toLowerCase().replaceAll('-', '_'))
}

/** Whether a network is called so: by its own name, or by one that its chain goes by. */
export function goesBy(network: { name: string; chainId: number }, called: string): boolean {
  return called === network.name || chainIdOfName(called) === network.chainId
}
