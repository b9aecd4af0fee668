import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'
import { signerMismatch } from '../owner.ts'

/** What the document of an order may say. For one that came as a bare hash, this is asked as soon as the document is found. */
export const document: Check = ({ parsedAppData, owner }) => {
  if (parsedAppData.signer && parsedAppData.signer !== owner)
    throw signerMismatch(parsedAppData.signer, owner)
  if (parsedAppData.wrapped) {
    throw new Refusal('UnsupportedOrderType', 'wrappers are not available on this service', {
      field: 'appData',
    })
  }
}
