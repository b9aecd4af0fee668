import { Contract, Interface, JsonRpcProvider } from 'ethers'

/** Figures of pools from their logs, without code of the program. */

const events = new Interface([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
])
const pair = ['function token0() view returns (address)', 'function token1() view returns (address)']

interface ScriptFigures {
  token0: string
  token1: string
  reserve0: bigint
  reserve1: bigint
  volume0: bigint
  volume1: bigint
  /** In native atoms. */
  value: number
  volume: number
  /** Per cent. */
  apr: number
}

/**
 * @param day the blocks of the day
 * @param prices native atoms for one atom, of tokens in lowercase
 */
export async function poolFromLogs(
  rpcUrl: string,
  address: string,
  day: { from: number; to: number },
  prices: Record<string, number>,
): Promise<ScriptFigures> {
  const provider = new JsonRpcProvider(rpcUrl, undefined, { staticNetwork: true })
  try {
    const contract = new Contract(address, pair, provider)
    const [token0, token1] = [await contract.getFunction('token0')(), await contract.getFunction('token1')()]
    const sums = { reserve0: 0n, reserve1: 0n, volume0: 0n, volume1: 0n }
    for (const log of await provider.getLogs({ address, fromBlock: 0, toBlock: day.to })) {
      const event = events.parseLog(log)
      if (event?.name === 'Sync')
        Object.assign(sums, { reserve0: event.args.reserve0, reserve1: event.args.reserve1 })
      if (event?.name !== 'Swap' || log.blockNumber < day.from) continue
      sums.volume0 += event.args.amount0In
      sums.volume1 += event.args.amount1In
    }
    const ratio = Number(sums.reserve1) / Number(sums.reserve0)
    const known0 = prices[token0.toLowerCase()]
    const known1 = prices[token1.toLowerCase()]
    const price0 = known0 ?? (known1 ?? 0) * ratio
    const price1 = known1 ?? (known0 ?? 0) / ratio
    const worth = (atoms0: bigint, atoms1: bigint) => Number(atoms0) * price0 + Number(atoms1) * price1
    const [value, volume] = [worth(sums.reserve0, sums.reserve1), worth(sums.volume0, sums.volume1)]
    const apr = (volume * 0.003 * 365 * 100) / value
    return { ...sums, token0: token0.toLowerCase(), token1: token1.toLowerCase(), value, volume, apr }
  } finally {
    provider.destroy()
  }
}
