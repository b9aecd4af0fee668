import { writeFile } from 'node:fs/promises'
import { schemaText } from './src/graphql/schema.ts'

/** Writes the SDL snapshot that a test compares the schema with. */
await writeFile(new URL('./test/graphql/schema.graphql', import.meta.url), schemaText())
