type Present<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> }

/** Omits null and undefined members: REST bodies leave out such keys. */
export function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries) as Present<Fields>
}
