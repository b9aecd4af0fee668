/** Text in a cell of a table: one line, without the character that ends a cell. */
export function cell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim()
}

/** A table of GitHub's Markdown; cells are written as they are. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** A page ends with one line break. */
export function page(...parts: string[]): string {
  return `${parts.join('\n\n')}\n`
}

export const generated = 'This page is generated: `npm run codegen` writes it, and a test compares it.'
