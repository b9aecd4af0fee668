import { type Address, address } from '../evm/address.ts'

/** The contracts of conditional orders, at the same addresses on every chain. */
export const composableCow = address('0xfdaFc9d1902f4e0b84f65F49f244b32b31013b74')
export const extensibleFallbackHandler = address('0x2f55e8b20D0B9FEFA187AA7d00B6Cbe563605bF5')
/** Writes the time of the block into the cabinet, for orders that start when they are mined. */
export const blockTimestampFactory = address('0x52eD56Da04309Aca4c3FECC595298d80C2f16BAc')

/** The names of handlers, as clients of indexers know them. */
export const handlerTypes = [
  'TWAP',
  'StopLoss',
  'GoodAfterTime',
  'TradeAboveThreshold',
  'PerpetualSwap',
  'CirclesBackingOrder',
  'SwapOrderHandler',
  'ERC4626CowSwapFeeBurner',
  'CurveCowSwapBurner',
  'BalancerCowSwapFeeBurner',
  'CowAmmConstantProduct',
  'Unknown',
] as const
export type HandlerType = (typeof handlerTypes)[number]
export type KnownHandlerType = Exclude<HandlerType, 'Unknown'>

type Handlers = readonly (readonly [type: KnownHandlerType, ...addresses: string[]])[]

/** Handlers of every chain, the newest deployment first. Older ones revert with OrderNotValid alone. */
const everywhere: Handlers = [
  ['TWAP', '0x6cF1e9cA41f7611dEf408122793c358a3d11E5a5'],
  ['StopLoss', '0x412c36e5011cd2517016d243a2dfb37f73a242e7', '0xE8212F30C28B4AAB467DF3725C14d6e89C2eB967'],
  [
    'GoodAfterTime',
    '0xdaf33924925e03c9cc3a10d434016d6cfad0add5',
    '0xd3338f21c89745E46AF56Aeaf553cF96ba9BC66f',
    '0x58d2b4b0a29e2d8635b0b47244f3654b1c0f38e9',
  ],
  [
    'TradeAboveThreshold',
    '0x812308712a6d1367f437e1c1e4af85c854e1e9f6',
    '0x44569Cbd4E10dd5e97293337964Eff32d58ed352',
  ],
  [
    'PerpetualSwap',
    '0x519BA24e959E33b3B6220CA98bd353d8c2D89920',
    '0x963f411ac754055b611fe464fa4d50772e9b1f9c',
  ],
]

/** Handlers of third parties, by the id of their chain. */
const ofChain: ReadonlyMap<number, Handlers> = new Map([
  [
    1,
    [
      ['SwapOrderHandler', '0xd506fe0b3ddf9e685c16e000514a835d3a511b26'],
      ['ERC4626CowSwapFeeBurner', '0x816e90dc85bf016455017a76bc09cc0451eeb308'],
      ['CurveCowSwapBurner', '0xc0fc3ddfec95ca45a0d2393f518d3ea1ccf44f8b'],
      [
        'BalancerCowSwapFeeBurner',
        '0x9958317b80ee5f10457017d54c2484d722059157',
        '0x0e800d8d2e8b4694610aedc385aa6d763492b106',
      ],
    ],
  ],
  [
    100,
    [
      ['CirclesBackingOrder', '0x43866c5602b0e3b3272424396e88b849796dc608'],
      ['SwapOrderHandler', '0x7a77934d32d78bfe8dc1e23415b5679960a1c610'],
      ['ERC4626CowSwapFeeBurner', '0x5915dea04ce390f0f44ca0806f7c6dd99ce2f941'],
      ['BalancerCowSwapFeeBurner', '0x254f3a2974b97dc2e675f6115c845567c55f83b0'],
      ['CowAmmConstantProduct', '0xb148f40fff05b5ce6b22752cf8e454b556f7a851'],
    ],
  ],
])

const typesOf = (handlers: Handlers) =>
  new Map(handlers.flatMap(([type, ...addresses]) => addresses.map((each) => [address(each), type])))
const typesEverywhere = typesOf(everywhere)
const typesOfChain = new Map([...ofChain].map(([chainId, handlers]) => [chainId, typesOf(handlers)]))

/** The newest deployment of a handler that is at the same address on every chain. */
export function newestHandler(type: KnownHandlerType): Address {
  const [, newest = ''] = everywhere.find(([each]) => each === type) ?? []
  return address(newest)
}

/** Anyone may deploy a handler, so that a handler of type `Unknown` is usual. */
export function handlerType(chainId: number, handler: Address): HandlerType {
  return typesEverywhere.get(handler) ?? typesOfChain.get(chainId)?.get(handler) ?? 'Unknown'
}
