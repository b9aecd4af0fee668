import { type Route, route } from '../row/route.ts'
import { writeNativePrice } from './result.ts'

const tokenDocument = <const Fields extends string>(fields: Fields) =>
  `query ($network: NetworkName!, $token: Address!) { tokens(network: $network, addresses: [$token]) { ${fields} } }` as const

export const tokenRoutes: Route[] = [
  route({
    on: 'GET /api/v1/token/:token/native_price',
    run: tokenDocument('nativePrice'),
    variables: ({ network, path }) => ({ network, token: path.token }),
    answer: ({ tokens: [token] }) => writeNativePrice(token?.nativePrice),
  }),
  route({
    on: 'GET /api/v1/token/:token/metadata',
    run: tokenDocument('firstTradeBlock nativePrice: lastAuctionPrice'),
    variables: ({ network, path }) => ({ network, token: path.token }),
    answer: ({ tokens: [token] }) => token,
  }),
]
