import { documents as account } from './account/documents.ts'
import { documents as auction } from './auction/documents.ts'
import { documents as auctions } from './auctions/documents.ts'
import { documents as home } from './home/documents.ts'
import { documents as order } from './order/documents.ts'
import { documents as orders } from './orders/documents.ts'
import { documents as programmatic } from './programmatic/documents.ts'
import { documents as programmaticOrders } from './programmatic-orders/documents.ts'
import { documents as token } from './token/documents.ts'
import { documents as tokens } from './tokens/documents.ts'
import { documents as trades } from './trades/documents.ts'
import { documents as view } from './view/documents.ts'

/**
 * Documents of all pages, for `npm run codegen`, which makes types that are found by the text. Each page
 * contains only its own.
 */
export const documents = {
  ...account,
  ...auction,
  ...auctions,
  ...home,
  ...order,
  ...orders,
  ...programmatic,
  ...programmaticOrders,
  ...token,
  ...tokens,
  ...trades,
  ...view,
} as const
