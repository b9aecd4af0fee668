/** Returns a network in the program's format: amounts in digits. */
export function networkText(networks: object): string {
  return JSON.stringify(networks, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}
