import { Refusal } from '../../domain/errors/error.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import type { Check, QuotedCandidate } from '../check.ts'

/** What a settlement of the order needs, with the wallet's signature and all hooks, stays within what one may use. */
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
