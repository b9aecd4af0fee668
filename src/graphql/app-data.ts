import { builder } from './builder.ts'
import { AppDataRef, AppDataUploadRef } from './refs.ts'

AppDataRef.implement({
  description: 'A document that orders refer to by its hash.',
  fields: (t) => ({
    hash: t.expose('hash', { type: 'Bytes32', description: 'keccak256 of the document’s exact bytes.' }),
    document: t.exposeString('document', {
      description: 'The document, byte for byte as it was sent.',
      extensions: { weight: 8 },
    }),
  }),
})

AppDataUploadRef.implement({
  description: 'What became of an upload.',
  fields: (t) => ({
    hash: t.expose('hash', { type: 'Bytes32', description: 'keccak256 of the document’s exact bytes.' }),
    created: t.exposeBoolean('created', { description: 'false when the document was stored already.' }),
  }),
})

builder.queryField('appData', (t) =>
  t.field({
    type: AppDataRef,
    nullable: true,
    description: 'A stored appData document; null when it is not known.',
    args: { hash: t.arg({ type: 'Bytes32', required: true, description: 'Its hash.' }) },
    resolve: async (_root, { hash }, { loaders }) => {
      const document = await loaders.appData.load(hash)
      return document === null ? null : { hash, document }
    },
  }),
)

builder.mutationField('uploadAppData', (t) =>
  t.field({
    type: AppDataUploadRef,
    description:
      'Stores an appData document, so that orders can refer to it: of at most 8192 bytes, where the deployment has no limit of its own.',
    args: {
      hash: t.arg({
        type: 'Bytes32',
        required: false,
        description: 'Its hash, to be checked; computed when left out.',
      }),
      document: t.arg.string({ required: true, description: 'The document, a JSON object as text.' }),
    },
    resolve: (_root, { hash, document }, { uploadAppData }) => uploadAppData(hash ?? null, document),
  }),
)
