import { type Route, route } from './route.ts'
import { writeNativePrice } from './shapes/token.ts'

const tokenDocument = (fields: string) =>
  `query ($network: String!, $token: Address!) { tokens(network: $network, addresses: [$token]) { ${fields} } }`

export const tokenRoutes: Route[] = [
  route<{ tokens: { nativePrice: string | null }[] }>({
    on: 'GET /api/v1/token/:token/native_price',
    run: tokenDocument('nativePrice'),
    given: ({ network, path }) => ({ network, token: path.token }),
    answer: ({ tokens: [token] }) => writeNativePrice(token?.nativePrice),
  }),
  route<{ tokens: { firstTradeBlock: number | null; nativePrice: string | null }[] }>({
    on: 'GET /api/v1/token/:token/metadata',
    run: tokenDocument('firstTradeBlock nativePrice: lastAuctionPrice'),
    given: ({ network, path }) => ({ network, token: path.token }),
    answer: ({ tokens: [token] }) => token,
  }),
]
