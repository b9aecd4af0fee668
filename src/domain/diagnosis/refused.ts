import type { Refusal } from '../errors/error.ts'
import type { RefusalCode } from '../errors/refusal-codes.ts'
import type { DiagnosisCode } from './code.ts'
import type { Reason } from './diagnosis.ts'
import { reasonOf } from './reason.ts'

/** Diagnosis codes for refusals to place an order that have a more common reason. */
const codes: Partial<Record<RefusalCode, DiagnosisCode>> = {
  Forbidden: 'accountDenied',
  UnsupportedToken: 'tokenDenied',
  OrderExpired: 'expired',
  InsufficientValidTo: 'expiresTooSoon',
  InvalidSignature: 'signatureInvalid',
  WrongOwner: 'signatureInvalid',
}

/** The reason why an order would be refused. */
export function refused(
  { code, field, message }: Refusal,
  as: DiagnosisCode = codes[code] ?? (field === 'signature' ? 'signatureInvalid' : 'notAccepted'),
): Reason {
  const evidence = { kind: 'refusal', code, field: field ?? null, message } as const
  return reasonOf(as, null, [evidence], `The service would refuse the order: ${message}.`)
}
