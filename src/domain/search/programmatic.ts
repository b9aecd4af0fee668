/** A programmatic order that a hash may name. Several owners can have one with the same hash. */
export interface FoundProgrammatic {
  id: string
  hash: string
  owner: string
}

/** The document by which a service finds programmatic orders by the first bytes of their hash. */
export const programmaticDocument =
  'query ($hash: Hex!, $owner: Address) { programmaticOrders(hash: $hash, owner: $owner, first: 50) { nodes { id hash owner } } }'

/** Runs the document. */
type Read = (hash: string, owner?: string) => Promise<readonly FoundProgrammatic[]>

/**
 * Finds the programmatic orders with a hash. Only its first four bytes are sent: a private key has the same
 * form, and they say next to nothing of one.
 */
export async function programmaticOf(hash: string, read: Read): Promise<FoundProgrammatic[]> {
  const found = await read(hash.slice(0, '0x'.length + 8))
  return found.filter((order) => order.hash === hash)
}

/** Finds what notifications of a whole programmatic order have in place of a UID: hash, owner and zeros. */
export async function programmaticOfUid(uid: string, read: Read): Promise<FoundProgrammatic[]> {
  if (!uid.endsWith('00000000')) return []
  return [...(await read(uid.slice(0, 66), `0x${uid.slice(66, 106)}`))]
}
