import { type Address, address } from '../../domain/evm/address.ts'
import {
  blockTimestampFactory,
  composableCow,
  extensibleFallbackHandler,
} from '../../domain/programmatic/handlers.ts'

/** Contracts of conditional orders by the names of their artifacts, at their addresses of real networks. */
export const programmaticContracts = {
  ComposableCow: composableCow,
  ExtensibleFallbackHandler: extensibleFallbackHandler,
  CurrentBlockTimestampFactory: blockTimestampFactory,
  Twap: address('0x6cF1e9cA41f7611dEf408122793c358a3d11E5a5'),
  StopLoss: address('0x412c36e5011cd2517016d243a2dfb37f73a242e7'),
  TradeAboveThreshold: address('0x812308712a6d1367f437e1c1e4af85c854e1e9f6'),
  GoodAfterTime: address('0xdaf33924925e03c9cc3a10d434016d6cfad0add5'),
  PerpetualStableSwap: address('0x519BA24e959E33b3B6220CA98bd353d8c2D89920'),
  ShedFactory: address('0x312f92fe5f1710408b20d52a374fa29e099cfa86'),
  Multicall3: address('0xcA11bde05977b3631167028862bE2a173976CA11'),
} satisfies Record<string, Address>

/** Sepolia's feeds of prices in dollars. */
export const priceOracles = {
  WETH: address('0x694AA1769357215DE4FAC081bf1f309aDC325306'),
  USDC: address('0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E'),
}
