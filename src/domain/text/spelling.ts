/** The GraphQL name of an enum's value: `notYetValid` becomes NOT_YET_VALID. */
export const screaming = (value: string) => value.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()

/** The type of that name. */
export type Screaming<Value extends string> = Value extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? Uppercase<First> : `_${First}`}${Screaming<Rest>}`
  : ''

/** The values of an enum in the spellings of the domain and of GraphQL. */
export const bothSpellings = (values: readonly string[]): ReadonlySet<string> =>
  new Set(values.flatMap((value) => [value, screaming(value)]))
