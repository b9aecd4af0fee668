/**
 * Solves `matrix · x = right` exactly, by elimination without fractions; each unknown is a fraction.
 * @returns undefined if there is no single solution
 */
export function solveExactly(
  matrix: readonly (readonly bigint[])[],
  right: readonly bigint[],
): { over: bigint; under: bigint }[] | undefined {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0n])
  for (let column = 0; column < rows.length; column++) {
    const pivotAt = rows.findIndex((row, index) => index >= column && row[column] !== 0n)
    const pivot = rows[pivotAt]
    if (!pivot) return undefined
    rows[pivotAt] = rows[column] ?? pivot
    rows[column] = pivot
    rows.forEach((row, index) => {
      if (index !== column) rows[index] = eliminate(row, pivot, column)
    })
  }
  return rows.map((row, index) => ({ over: row.at(-1) ?? 0n, under: row[index] ?? 1n }))
}

function eliminate(row: readonly bigint[], pivot: readonly bigint[], column: number): bigint[] {
  const [factor = 0n, divisor = 1n] = [row[column], pivot[column]]
  return row.map((value, index) => value * divisor - (pivot[index] ?? 0n) * factor)
}
