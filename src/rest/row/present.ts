type Present<Fields> = { [Key in keyof Fields]?: NonNullable<Fields[Key]> }

/** Leaves out what is null or undefined: such keys are absent in the interface. */
export function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries) as Present<Fields>
}
