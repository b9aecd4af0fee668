import type { DecodedType, StaticInput } from '../../../src/domain/programmatic/static-input.ts'
import { numbered } from '../../fakes/order.ts'
import { appData, start, twapInput } from './vectors.ts'

export const stopLoss: StaticInput<'StopLoss'> = {
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  sellAmount: 5n,
  buyAmount: 6n,
  appData,
  receiver: numbered('22'),
  isSellOrder: false,
  isPartiallyFillable: true,
  validTo: start + 100,
  sellTokenPriceOracle: numbered('31'),
  buyTokenPriceOracle: numbered('32'),
  strike: -7n,
  maxTimeSinceLastOracleUpdate: 900n,
}

/** A static input of each handler, with the types of its struct in Solidity. */
export const samples: { [Type in DecodedType]: { struct: string; input: StaticInput<Type> } } = {
  TWAP: {
    struct: 'address,address,address,uint256,uint256,uint256,uint256,uint256,uint256,bytes32',
    input: twapInput(),
  },
  StopLoss: {
    struct: 'address,address,uint256,uint256,bytes32,address,bool,bool,uint32,address,address,int256,uint256',
    input: stopLoss,
  },
  GoodAfterTime: {
    struct: '(address,address,address,uint256,uint256,uint256,uint256,bool,bytes,bytes32)',
    input: {
      sellToken: numbered('aa'),
      buyToken: numbered('bb'),
      receiver: numbered('22'),
      sellAmount: 5n,
      minSellBalance: 6n,
      startTime: 7n,
      endTime: 8n,
      allowPartialFill: true,
      priceCheckerPayload: '0x123456',
      appData,
    },
  },
  TradeAboveThreshold: {
    struct: 'address,address,address,uint32,uint256,bytes32',
    input: {
      sellToken: numbered('aa'),
      buyToken: numbered('bb'),
      receiver: numbered('22'),
      validityBucketSeconds: 900,
      threshold: 10n,
      appData,
    },
  },
  PerpetualSwap: {
    struct: 'address,address,uint32,uint256,bytes32',
    input: {
      tokenA: numbered('aa'),
      tokenB: numbered('bb'),
      validityBucketSeconds: 900,
      halfSpreadBps: 5n,
      appData,
    },
  },
  CirclesBackingOrder: {
    struct: 'address,uint256,uint32,bytes32',
    input: { buyToken: numbered('bb'), buyAmount: 9n, validTo: start, appData },
  },
  SwapOrderHandler: {
    struct: 'address,address,address,uint32,bytes32',
    input: {
      sellToken: numbered('aa'),
      buyToken: numbered('bb'),
      receiver: numbered('22'),
      validityPeriod: 600,
      appData,
    },
  },
  ERC4626CowSwapFeeBurner: { struct: 'address', input: { tokenIn: numbered('aa') } },
}
