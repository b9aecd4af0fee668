import type { TowerBudgets } from '../../src/storage/chain/tower-uses.ts'

/** Budgets of a watch tower that nothing exceeds. */
export const unlimited: TowerBudgets = { owner: { orders: 0, bytes: 0 }, tower: { orders: 0, bytes: 0 } }
