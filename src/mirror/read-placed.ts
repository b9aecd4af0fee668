import { z } from 'zod'
import type { Address } from '../domain/evm/address.ts'
import { type Bytes32, toHex } from '../domain/evm/hex.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { Network } from '../domain/network/network.ts'
import type { OrderData, OrderUid } from '../domain/order/order.ts'
import { recoverSigner } from '../domain/signing/signature.ts'
import { isEcdsa, orderDigest, orderUid } from '../domain/signing/signing.ts'
import { jsonIn } from '../outside/http-json.ts'
import { dataShape } from './read-order.ts'

/** An order that a client places, as far as it has to be found again. */
export interface ShownPlacement {
  uid: OrderUid
}

/** Amounts as order books take them: decimal, hexadecimal, or a small number. */
const amount = z
  .union([z.string().regex(/^([0-9]{1,78}|0x[0-9a-f]{1,64})$/i), z.int().min(0)])
  .transform((value) => BigInt(value))

const placedShape = dataShape.extend({
  sellAmount: amount,
  buyAmount: amount,
  feeAmount: amount,
  appData: z.string(),
  appDataHash: z.string().nullish(),
  from: dataShape.shape.receiver,
})

/**
 * Reads the UID of an order from the body that places it, more leniently than orders are accepted here: the
 * order book decides about it. Undefined if it cannot be computed.
 */
export function readPlaced(body: Uint8Array, network: Network): ShownPlacement | undefined {
  const read = placedShape.safeParse(jsonIn(Buffer.from(body).toString()))
  if (!read.success) return undefined
  const { appData, appDataHash, from, signingScheme, signature, receiver, ...rest } = read.data
  const order = { ...rest, receiver: receiver ?? null, appData: hashOf(appData, appDataHash) }
  const owner = from ?? signerOf(order, { signingScheme, signature }, network)
  return owner && { uid: orderUid(network, order, owner) }
}

/** The hash that is signed: the declared one, else the text if it is a hash, else that of the document. */
function hashOf(appData: string, declared: string | null | undefined): Bytes32 {
  return toHex(declared ?? '', 32) ?? toHex(appData, 32) ?? toHex(`0x${appData}`, 32) ?? keccakText(appData)
}

function signerOf(
  order: OrderData,
  { signingScheme, signature }: Pick<z.output<typeof dataShape>, 'signingScheme' | 'signature'>,
  network: Network,
): Address | undefined {
  if (!isEcdsa(signingScheme)) return undefined
  const recovered = recoverSigner(signingScheme, orderDigest(network, order), signature)
  return 'signer' in recovered ? recovered.signer : undefined
}
