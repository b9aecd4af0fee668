import { z } from 'zod'

export const text = z.string()
export const uidText = z.string().regex(/^0x[0-9a-f]{112}$/)
export const hashText = z.string().regex(/^0x[0-9a-f]{64}$/)
export const cancelledText = z.literal('Cancelled')
