import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const schema = createRequire(import.meta.url).resolve('tradegraph/schema.graphql')

/** The GraphQL schema of this version as text. The package exports it. */
export const typeDefs: string = readFileSync(schema, 'utf8')
