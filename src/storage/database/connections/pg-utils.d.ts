/** How node-postgres serialises a parameter; its published types leave this out. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): Buffer | string | null }
  export = utils
}
