import type { Address } from '../../../domain/evm/address.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'

/** Newest first, each once. */
export const newestNotifications = ({ account, first }: { account: Address; first: number }): Prisma.Sql =>
  Prisma.sql`notifications n WHERE n.account = ${bytea(account)} ORDER BY n.id DESC LIMIT ${first}`
