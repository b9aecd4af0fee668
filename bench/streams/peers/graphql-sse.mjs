// graphql-sse over node:http, as in its documentation.
import { createServer } from 'node:http'
import { createHandler } from 'graphql-sse/lib/use/http'
import { listen } from './hear.mjs'
import { schemaFor } from './schema.mjs'

listen(createServer(createHandler({ schema: schemaFor('graphql-sse') })))
