import { documents as account } from './account/documents.ts'
import { documents as auction } from './auction/documents.ts'
import { documents as home } from './home/documents.ts'
import { documents as order } from './order/documents.ts'
import { documents as token } from './token/documents.ts'

/**
 * Documents of all pages, for `npm run codegen`, which makes types that are found by the text. Each page
 * contains only its own.
 */
export const documents = { ...account, ...auction, ...home, ...order, ...token } as const
