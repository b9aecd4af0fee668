// Ponder over the settlement contract's logs. The bench copies these files next to the installed packages.
import { createConfig } from 'ponder'
import { parseAbi } from 'viem'

const { CHAIN_ID, RPC_URL, SETTLEMENT, FIRST_BLOCK, DATABASE_URL } = process.env

// biome-ignore lint/style/noDefaultExport: Ponder reads it
export default createConfig({
  database: { kind: 'postgres', connectionString: DATABASE_URL },
  chains: { bench: { id: Number(CHAIN_ID), rpc: RPC_URL } },
  contracts: {
    Settlement: {
      abi: parseAbi([
        'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
        'event Settlement(address indexed solver)',
      ]),
      chain: 'bench',
      address: SETTLEMENT,
      startBlock: Number(FIRST_BLOCK),
    },
  },
})
