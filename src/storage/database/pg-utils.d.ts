/** How node-postgres writes a value as a parameter: its types leave that out. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): Buffer | string | null }
  export = utils
}
