import { z } from 'zod'
import { appDataOf } from '../storage/models/app-data.ts'
import { appDataByHash } from '../storage/models/keyed.ts'
import { builder } from './builder.ts'
import { bytes32Field, objectExpected, scalarField, textField } from './input/fields.ts'
import { inputArgument, inputType } from './input/input-type.ts'
import { AppDataRef, UploadAppDataPayloadRef } from './refs.ts'
import { exposeModel, storedRoot } from './stored/expose.ts'
import { resolveKeyed, type StoredValue } from './stored/resolve.ts'

/** The body in REST, which has the hash, if any, in the path. */
export const appDataBody = z.object(
  { fullAppData: textField.meta({ description: 'The document, as its hash is to be taken.' }) },
  objectExpected,
)

export const uploadAppDataInput = inputType('UploadAppDataInput', {
  description: 'An appData document to be stored.',
  schema: z.object(
    {
      hash: bytes32Field.nullish().meta({ description: 'Its hash, to be checked; computed when left out.' }),
      document: scalarField(
        'AppDataDocument',
        textField.meta({ description: 'The document, as its hash is to be taken.' }),
      ),
    },
    objectExpected,
  ),
})

exposeModel(appDataOf.model())

UploadAppDataPayloadRef.implement({
  description: 'The result of an upload.',
  fields: (t) => ({
    hash: t.expose('hash', { type: 'Bytes32', description: 'keccak256 of the document’s exact bytes.' }),
    appData: t.field({
      type: AppDataRef,
      description: 'The document as it is stored.',
      resolve: async ({ hash }, _args, context, info) =>
        (await resolveKeyed(appDataByHash, hash, context, info)) as StoredValue,
    }),
    created: t.exposeBoolean('created', { description: 'false when the document was stored already.' }),
  }),
})

builder.queryFields((t) => ({
  appData: storedRoot(t, appDataOf, {
    args: { hash: t.arg({ type: 'Bytes32', required: true, description: 'Its hash.' }) },
    rowArguments: (args) => args,
  }),
}))

/** Allows ten uploads a second at the default limit: twice as many as orders. */
const unitsOfUpload = 5

builder.mutationField('uploadAppData', (t) =>
  t.field({
    type: UploadAppDataPayloadRef,
    description:
      'Stores an appData document, so that orders can refer to it: of at most 8192 bytes, where the deployment has no limit of its own.',
    // Clients upload before each order: uploads must not use up the limit of orders.
    extensions: { limited: 'reads', units: unitsOfUpload },
    args: { input: inputArgument(t.arg, uploadAppDataInput, 'The document.') },
    resolve: (_root, { input: { hash, document } }, { uploadAppData, client }) =>
      uploadAppData(hash ?? null, document, client),
  }),
)
