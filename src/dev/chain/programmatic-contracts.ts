import { type Address, address } from '../../domain/evm/address.ts'
import { shedFactory } from '../../domain/network/network.ts'
import {
  blockTimestampFactory,
  composableCow,
  extensibleFallbackHandler,
  newestHandler,
} from '../../domain/programmatic/handlers.ts'

/** Contracts of conditional orders by the names of their artifacts, at their addresses of real networks. */
export const programmaticContracts = {
  ComposableCow: composableCow,
  ExtensibleFallbackHandler: extensibleFallbackHandler,
  CurrentBlockTimestampFactory: blockTimestampFactory,
  Twap: newestHandler('TWAP'),
  StopLoss: newestHandler('StopLoss'),
  TradeAboveThreshold: newestHandler('TradeAboveThreshold'),
  GoodAfterTime: newestHandler('GoodAfterTime'),
  PerpetualStableSwap: newestHandler('PerpetualSwap'),
  ShedFactory: shedFactory,
  Multicall3: address('0xcA11bde05977b3631167028862bE2a173976CA11'),
} satisfies Record<string, Address>

/** Sepolia's feeds of prices in dollars. */
export const priceOracles = {
  WETH: address('0x694AA1769357215DE4FAC081bf1f309aDC325306'),
  USDC: address('0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E'),
}
