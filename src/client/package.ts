// biome-ignore-all lint/performance/noBarrelFile: the entry of the package's sub-path
export { type Cancellation, type CancelledOrder, cancelOrders } from './cancel-orders.ts'
export {
  type Client,
  type ClientOptions,
  createClient,
  type HeaderSource,
  type RequestOptions,
} from './client.ts'
export { vaultRelayerOf } from './contracts.ts'
export type { AnyDocument, TypedDocument } from './document.ts'
export * from './documents.generated.ts'
export { TradegraphError } from './error.ts'
export { type OrderPlacement, type PlacedOrder, placeOrder } from './place-order.ts'
export type { DateTime, Input, Native, ScalarForm, Uint256 } from './scalars.ts'
export type { Eip1193Provider, EthersSigner, Signer, ViemSigner } from './signer.ts'
export { type SubscribeOptions, subscribe } from './subscribe.ts'
export { appDataHash, type OrderToSign } from './typed-data.ts'
export { type FollowedOrder, type WaitOptions, waitForOrder } from './wait-for-order.ts'
