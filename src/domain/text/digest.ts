import { createHash } from 'node:crypto'

/** The SHA-256 hash of a text: secrets and addresses of clients are stored and compared by it. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
