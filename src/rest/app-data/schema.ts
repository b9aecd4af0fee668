import { z } from 'zod'

export const appDataDocument = z.object({
  fullAppData: z.string().meta({ description: 'The document; its hash is over exactly these bytes.' }),
})
