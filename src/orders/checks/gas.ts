import { Refusal } from '../../domain/errors/error.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import type { Check, QuotedCandidate } from '../check.ts'

/** The gas to settle the order, with the wallet's signature check and all hooks, is within the limit. */
export const gas: Check<QuotedCandidate> = (
  { quote, parsedAppData, signatureGas },
  { limits: { maxGas } },
) => {
  const needed = (quote?.gasAmount ?? 0n) + signatureGas + hooksGas(parsedAppData)
  if (needed > maxGas) {
    throw new Refusal('TooMuchGas', `the order needs ${needed} gas, ${maxGas} are allowed`, {
      data: { need: needed.toString(), limit: maxGas.toString() },
    })
  }
}
