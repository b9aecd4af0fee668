import { expect, test } from 'vitest'
import { readableDown, readableUp } from '../../../src/domain/text/readable.ts'
import { dollar } from '../../fakes/order.ts'

const token = (symbol: string | null, decimals: number | null) => ({ symbol, decimals, address: dollar })

test.each([
  [1_500_000n, token('USDC', 6), '1.5 USDC', '1.5 USDC'],
  [1_234_567_890_123n, token('USDC', 6), '1,234,567 USDC', '1,234,568 USDC'],
  [999_999_999_999_999_999n, token('WETH', 18), '0.999999 WETH', '1 WETH'],
  [1n, token('WETH', 18), '0.000000000000000001 WETH', '0.000000000000000001 WETH'],
  [12_345_678n, token('WETH', 18), '0.0000000000123456 WETH', '0.0000000000123457 WETH'],
  [1_500_000n, token('PIECE', 0), '1,500,000 PIECE', '1,500,000 PIECE'],
  [1_500_000n, token(null, 6), `1.5 ${dollar}`, `1.5 ${dollar}`],
  [1_500_000n, token('USDC', null), '1,500,000 atoms of USDC', '1,500,000 atoms of USDC'],
  [1_500_000n, token(null, null), `1,500,000 atoms of ${dollar}`, `1,500,000 atoms of ${dollar}`],
])('%s of %j is %s, and rounded up %s', (amount, of, down, up) => {
  expect([readableDown(amount, of), readableUp(amount, of)]).toEqual([down, up])
})
