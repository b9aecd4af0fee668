import { z } from 'zod'
import type { Parameter } from './operation.ts'

export const page: Readonly<Record<string, Parameter>> = {
  offset: { description: 'How many to leave out; 0 when left out.', schema: z.int().min(0) },
  limit: { description: 'How many at most; 10 when left out.', schema: z.int().min(1).max(1_000) },
}
