/** Documents of several pages. */
export const documents = { networkNames: 'query { networks { name } }' } as const
