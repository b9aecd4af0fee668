import { type DiagnosisCode as Code, diagnosisCodes, diagnosisTexts } from '../../../domain/diagnosis/code.ts'
import { defineEnum } from '../../enums.ts'

const descriptions = Object.fromEntries(
  diagnosisCodes.map((code) => [code, diagnosisTexts[code].meaning]),
) as Record<Code, string>

export const DiagnosisCode = defineEnum(
  'DiagnosisCode',
  'Why an order is not filled, or how it ended, in the order in which reasons have to be solved.',
  diagnosisCodes,
  descriptions,
)
