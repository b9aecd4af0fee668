// GraphQL Yoga as in its documentation.
import { createServer } from 'node:http'
import { createYoga } from 'graphql-yoga'
import { listen } from './hear.mjs'
import { schemaFor } from './schema.mjs'

listen(createServer(createYoga({ schema: schemaFor('yoga'), logging: false })))
