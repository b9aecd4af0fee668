import { z } from 'zod'
import { appDataBody } from '../graphql/app-data.ts'
import type { Operations, WrittenOperation } from './openapi/operation.ts'
import { hashParameter } from './openapi/parameters.ts'
import { hashText } from './openapi/primitives.ts'
import { sample } from './openapi/sample.ts'

export const appDataDocument = z.object({
  fullAppData: z.string().meta({ description: 'The document; its hash is over exactly these bytes.' }),
})

const hash = { ...hashParameter, description: 'keccak-256 of the document.' }

const upload: Omit<WrittenOperation, 'id' | 'summary' | 'examples'> = {
  body: appDataBody,
  answers: {
    200: { description: 'The hash of a document that was already stored.', schema: hashText },
    201: { description: 'The hash of the stored document.', schema: hashText },
  },
  codes: ['AppDataInvalid', 'AppDataHashMismatch', 'AppDataMismatch'],
}

const first = { fullAppData: '{"appCode":"example"}' }
const second = { fullAppData: '{"appCode":"example","version":"1.3.0"}' }

export const appDataOperations: Operations = {
  'GET /api/v1/app_data/:hash': {
    id: 'appData',
    summary: 'A document by its hash',
    path: { hash },
    answers: {
      200: {
        description: 'The document. It never changes.',
        schema: appDataDocument,
        headers: ['Cache-Control', 'ETag'],
      },
    },
    examples: {
      empty: {
        summary: 'The empty document',
        path: { hash: sample.emptyDocumentHash },
        answer: { fullAppData: '{}' },
      },
      unknown: {
        summary: 'A hash without a document',
        path: { hash: sample.unknownHash },
        refused: 'missing',
      },
      malformed: {
        summary: 'A malformed hash',
        path: { hash: '0x12' },
        refused: ['InvalidParameter', 'hash must be 32 bytes of hex with 0x in front'],
      },
    },
  },
  'PUT /api/v1/app_data/:hash': {
    ...upload,
    id: 'uploadAppData',
    summary: 'Store a document under its hash',
    path: { hash },
    examples: {
      known: {
        summary: 'A document that came with an order',
        path: { hash: sample.emptyDocumentHash },
        body: { fullAppData: '{}' },
        answer: sample.emptyDocumentHash,
      },
      new: {
        summary: 'A new one',
        path: { hash: '0x293cbe58dba04023b8caca4d12875d9005c7ae3fffed7ea3ba0a532a39d3db08' },
        body: first,
        status: 201,
        answer: '0x293cbe58dba04023b8caca4d12875d9005c7ae3fffed7ea3ba0a532a39d3db08',
      },
      otherHash: {
        summary: 'Under another hash',
        path: { hash: sample.unknownHash },
        body: first,
        refused: [
          'AppDataHashMismatch',
          'the document hashes to 0x293cbe58dba04023b8caca4d12875d9005c7ae3fffed7ea3ba0a532a39d3db08',
        ],
      },
    },
  },
  'PUT /api/v1/app_data': {
    ...upload,
    id: 'uploadAppDataByContent',
    summary: 'Store a document',
    examples: {
      new: {
        summary: 'A new one',
        body: second,
        status: 201,
        answer: '0x11e6f93c7b1192c65579f35831d7f901f99edf0cfd76d54c8dbacd75905c279b',
      },
      known: {
        summary: 'The same once more',
        body: second,
        answer: '0x11e6f93c7b1192c65579f35831d7f901f99edf0cfd76d54c8dbacd75905c279b',
      },
      text: {
        summary: 'Text that is not JSON',
        body: { fullAppData: 'hello' },
        refused: ['AppDataInvalid', 'appData is not JSON'],
      },
    },
  },
}
