/** The rules of CONTRIBUTING.md for migrations, which let two versions run over one database. */
interface Script {
  name: string
  script: string
}

/** What the version before cannot do without, or cannot write to. */
const destructive: readonly [pattern: RegExp, what: string][] = [
  [/\bDROP\b(?! NOT NULL)/, 'drops something'],
  [/\bRENAME\b/, 'renames something'],
  [/\bTRUNCATE\b|\bDELETE FROM\b/, 'deletes rows'],
  [/\bALTER COLUMN "?\w+"? (SET DATA )?TYPE\b/, 'changes the type of a column'],
  [/\bSET NOT NULL\b/, 'takes null from a column'],
  [
    /\bADD COLUMN (?:(?!,? ADD |\bDEFAULT\b|\bGENERATED\b).)*\bNOT NULL\b(?:(?! ADD |\bDEFAULT\b).)*(?=, ADD |$)/,
    'adds a column that is needed in inserts',
  ],
  [/\bSET SCHEMA\b|\bDISABLE TRIGGER\b|\bREVOKE\b/, 'takes something away'],
]

/** On tables that are there already. */
const restricting: readonly [pattern: RegExp, what: string][] = [
  [
    /^ALTER TABLE (?:ONLY )?"?(\w+)"? .*\bADD (?:CONSTRAINT|PRIMARY KEY|UNIQUE|FOREIGN KEY|CHECK)\b/,
    'adds a constraint',
  ],
  [/^CREATE UNIQUE INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?"?\w+"? ON "?(\w+)"?/, 'adds a constraint'],
]

const index = /^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?"?\w+"? ON "?(\w+)"?/

/** Statements without comments, texts and bodies of functions, on one line each. */
function statementsOf(script: string): string[] {
  return script
    .replace(/--.*$/gm, '')
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
}

/** What is wrong with a migration. @param earlier names of those before it */
export function faultsOf({ name, script }: Script, earlier: readonly string[]): string[] {
  const statements = statementsOf(script)
  const created = new Set(
    statements.flatMap((text) => /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/.exec(text)?.[1] ?? []),
  )
  const floor = /^INSERT INTO "schema_floors" \("migration", "needs"\) VALUES \('(\w*)', '(\w*)'\);$/m.exec(
    script,
  )
  const faults: string[] = []
  if (floor && floor[1] !== name) faults.push(`names ${floor[1]} as itself`)
  if (floor && !earlier.includes(floor[2] ?? ''))
    faults.push(`needs ${floor[2]}, which is no earlier migration`)
  for (const statement of statements) {
    const what = [
      ...destructive.filter(([pattern]) => pattern.test(statement)),
      ...restricting.filter(
        ([pattern]) => !created.has(pattern.exec(statement)?.[1] ?? statement) && pattern.test(statement),
      ),
    ]
    if (!floor)
      faults.push(...what.map(([, what]) => `${what}, without a line in schema_floors: ${statement}`))
    const [, besideWrites, table = ''] = index.exec(statement) ?? []
    if (table && !besideWrites && !created.has(table))
      faults.push(`builds an index that stops writes to ${table}: ${statement}`)
    if (besideWrites && statements.length > 1)
      faults.push(`builds an index beside writes together with other statements`)
    if (/^UPDATE /.test(statement)) faults.push(`writes rows in one transaction: ${statement}`)
  }
  return faults
}
