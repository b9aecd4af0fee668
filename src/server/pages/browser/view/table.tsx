import type { ComponentChildren } from 'preact'

export interface Column<Node> {
  label: string
  /** Omits the label of the value on narrow screens: the value says what it is. */
  isPlain?: boolean
  /** Leaves room for other values in the line on narrow screens. */
  isShort?: boolean
  cell(node: Node): ComponentChildren
}

/**
 * A table that fits any width: on narrow screens each row becomes a block, with its first value as the title.
 */
export function Table<Node>({
  label,
  columns,
  nodes,
  keyOf,
}: {
  label?: string
  columns: readonly Column<Node>[]
  nodes: readonly Node[]
  /** Identifies a row; without it rows stay in their places, and only their texts change. */
  keyOf?(node: Node): string
}) {
  return (
    <table class="list" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {nodes.map((node, index) => (
          <tr key={keyOf?.(node) ?? index}>
            {columns.map(({ label, isPlain, isShort, cell }) => (
              <td key={label} class={isShort ? 'short' : undefined} data-label={isPlain ? undefined : label}>
                {cell(node)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
