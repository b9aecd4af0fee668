import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'
import { checkDeclaredSigner } from '../owner.ts'

/** What an order's document may contain. An order sent with a bare hash is checked as soon as its document is found. */
export const document: Check = ({ parsedAppData, owner }) => {
  checkDeclaredSigner(parsedAppData.signer, owner)
  if (parsedAppData.wrapped) {
    throw new Refusal('UnsupportedOrderType', 'wrappers are not available on this service', {
      field: 'appData',
    })
  }
}
