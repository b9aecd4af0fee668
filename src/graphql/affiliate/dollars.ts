import { formatDollars } from '../../domain/affiliate/rewards.ts'

/** A GraphQL field for a member that holds US dollars. */
export function dollars<Name extends string>(name: Name, description: string) {
  return {
    type: 'Decimal' as const,
    description,
    resolve: (row: Record<Name, bigint>) => formatDollars(row[name]),
  }
}

/** Fields that statistics of affiliates and of traders share. */
export const paidOut = {
  type: 'Decimal' as const,
  description: 'Always 0: the service pays nothing out.',
  resolve: () => '0',
}
export const nextPayout = dollars('totalEarned', 'totalEarned without paidOut.')
export const computedAt = { type: 'DateTime' as const, description: 'When these figures were computed.' }
