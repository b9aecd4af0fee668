// GraphQL Yoga as its documentation shows it.
import { createServer } from 'node:http'
import { createYoga } from 'graphql-yoga'
import { listen } from './hear.mjs'
import { schemaFor } from './schema.mjs'

listen(createServer(createYoga({ schema: schemaFor('yoga'), logging: false })))
