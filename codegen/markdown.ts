/** Returns the text of a table cell: one line, without the character that ends a cell. */
export function cell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim()
}

/** Returns a table in GitHub's Markdown; cells are written unchanged. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Joins parts to a page, which ends with one line break. */
export function page(...parts: string[]): string {
  return `${parts.join('\n\n')}\n`
}

export const generated = 'This page is generated: `npm run codegen` writes it, and a test compares it.'
