import { z } from 'zod'
import { affiliateCodeField } from '../../graphql/affiliate/affiliate.ts'
import { addressField } from '../../graphql/input/fields.ts'
import type { Parameter } from './operation.ts'

const bytes = (count: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${count * 2}}$`))

export const anyAddress = bytes(20)
export const anyOrderUid = bytes(56)

export const hashParameter: Parameter = {
  description: '32 bytes: 0x and digits in any letter case.',
  schema: bytes(32),
}

/** Path parameters by the names that routes use. */
export const pathParameters: Readonly<Record<string, Parameter>> = {
  network: {
    description: 'A network by name, alias or chain id.',
    schema: z.string().min(1),
  },
  uid: { description: 'An order: 56 bytes, as 0x and digits in any letter case.', schema: anyOrderUid },
  hash: hashParameter,
  owner: { description: 'The account that signed.', schema: anyAddress },
  user: { description: 'The account that traded.', schema: anyAddress },
  account: { description: 'The account.', schema: anyAddress },
  id: { description: 'A channel of the account.', schema: z.uuid() },
  token: { description: 'The token’s contract.', schema: anyAddress },
  wallet: { description: 'The wallet of the affiliate.', schema: addressField },
  code: { description: 'An affiliate code.', schema: affiliateCodeField },
  auctionId: {
    description: 'An auction’s number, unique in its network.',
    schema: z.string().regex(/^[0-9]{1,100}$/),
  },
}

export const pageParameters: Readonly<Record<string, Parameter>> = {
  offset: { description: 'The number of items to skip; 0 when left out.', schema: z.int().min(0) },
  limit: { description: 'The maximum number of items; 10 when left out.', schema: z.int().min(1).max(1_000) },
}
