/** Documents of several pages. */
export const documents = {
  networkNames: 'query { networks { name } }',
  usdPrices:
    'query ($addresses: [Address!]!, $network: NetworkName!) { tokens(addresses: $addresses, network: $network) { address usdPrice { price } } }',
} as const
