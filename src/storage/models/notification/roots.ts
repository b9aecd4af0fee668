import type { Address } from '../../../domain/evm/address.ts'
import { publishedTypes } from '../../../domain/notification/notification.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'

/** Newest first, each once, of the types that clients of the REST interface know. */
export const newestNotifications = ({ account, first }: { account: Address; first: number }): Prisma.Sql =>
  Prisma.sql`notifications n WHERE n.account = ${bytea(account)} AND n.type = ANY(${[...publishedTypes]})
    ORDER BY n.id DESC LIMIT ${first}`
