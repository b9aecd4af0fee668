type Json = Record<string, unknown>

const enumMembers = ['kind', 'sellTokenBalance', 'buyTokenBalance', 'signingScheme', 'priceQuality']
const amounts = {
  sellAmountBeforeFee: 'sellBeforeFee',
  sellAmountAfterFee: 'sellAfterFee',
  buyAmountAfterFee: 'buyAfterFee',
} as const
const validities = { validTo: 'validTo', validFor: 'validFor' } as const

/** A REST body as GraphQL input: enum members in capitals. */
export function graphInput(body: Json): Json {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      enumMembers.includes(name) && typeof value === 'string' ? value.toUpperCase() : value,
    ]),
  )
}

/** The body of a quote as GraphQL input: amount and expiry in their own objects, and no kind. */
export function graphQuoteInput({ kind: _, ...body }: Json): Json {
  const same = Object.entries(graphInput(body)).filter(([name]) => !(name in amounts || name in validities))
  const amount = chosen(body, amounts)
  const validity = chosen(body, validities)
  return { ...Object.fromEntries(same), ...(amount && { amount }), ...(validity && { validity }) }
}

/** The GraphQL field of an error about a member of a quote's body. */
export function graphQuoteField(field: string, body: Json): string {
  for (const [outer, members] of Object.entries({ amount: amounts, validity: validities })) {
    const inner = (members as Record<string, string>)[field]
    if (inner !== undefined)
      return Object.keys(chosen(body, members) ?? {}).length === 1 ? `${outer}.${inner}` : outer
  }
  return field
}

function chosen(body: Json, members: Record<string, string>): Json | undefined {
  const given = Object.entries(members).filter(([name]) => body[name] != null)
  return given.length > 0 ? Object.fromEntries(given.map(([name, inner]) => [inner, body[name]])) : undefined
}
