import type { Refusal } from '../errors/error.ts'
import type { RefusalCode } from '../errors/refusal-codes.ts'
import type { DiagnosisCode } from './code.ts'
import type { Reason } from './diagnosis.ts'
import { reasonOf } from './reason.ts'

/** The reason for a refusal to place an order, where it is a better-known one. */
const codes: Partial<Record<RefusalCode, DiagnosisCode>> = {
  Forbidden: 'accountDenied',
  UnsupportedToken: 'tokenDenied',
  OrderExpired: 'expired',
  InsufficientValidTo: 'expiresTooSoon',
  InvalidSignature: 'signatureInvalid',
  WrongOwner: 'signatureInvalid',
}

/** Why an order would not be placed. */
export function refused(
  { code, field, message }: Refusal,
  as: DiagnosisCode = codes[code] ?? (field === 'signature' ? 'signatureInvalid' : 'notAccepted'),
): Reason {
  const evidence = { kind: 'refusal', code, field: field ?? null, message } as const
  return reasonOf(as, null, [evidence], `The service would refuse the order: ${message}.`)
}
