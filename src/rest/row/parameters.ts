import { Refusal } from '../../domain/errors/error.ts'
import { type Address, toAddress } from '../../domain/evm/address.ts'
import { type Bytes32, toHex } from '../../domain/evm/hex.ts'
import { type OrderUid, toOrderUid } from '../../domain/order/uid.ts'

/** Creates a reader of parameters in paths and queries. It throws Refusal InvalidParameter with the parameter's name. */
function createReader<Value>(parse: (text: string) => Value | undefined, expectation: string) {
  return (name: string, text = ''): Value => {
    const value = parse(text)
    if (value !== undefined) return value
    throw new Refusal('InvalidParameter', `${name} must be ${expectation}`, { field: name })
  }
}

export const readUid: (name: string, text?: string) => OrderUid = createReader(
  toOrderUid,
  'an order UID: 56 bytes of hex with 0x in front',
)
export const readAddress: (name: string, text?: string) => Address = createReader(
  toAddress,
  'an address: 20 bytes of hex with 0x in front',
)
export const readHash: (name: string, text?: string) => Bytes32 = createReader(
  (text) => toHex(text, 32),
  '32 bytes of hex with 0x in front',
)
