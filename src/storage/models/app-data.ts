import type { Bytes32 } from '../../domain/evm/hex.ts'
import { bytea } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'
import { bytes32, string } from '../query/codec.ts'
import { column, type Model, type OneRow } from '../query/model.ts'

/** Document `d`. */
export const appData = {
  name: 'AppData',
  description: 'A document that orders refer to by its hash.',
  fields: {
    hash: column(bytes32, 'd.hash', 'keccak256 of the document’s exact bytes.'),
    document: column(string, 'd.document', 'The document, byte for byte as it was sent.', { weight: 8 }),
  },
} satisfies Model

export const appDataOf: OneRow = {
  kind: 'one',
  model: () => appData,
  nullable: true,
  rows: ({ hash }: { hash: Bytes32 }) => Prisma.sql`app_data d WHERE d.hash = ${bytea(hash)}`,
  description: 'A stored appData document; null when it is not known.',
}
