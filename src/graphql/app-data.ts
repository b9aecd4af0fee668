import { z } from 'zod'
import { bytes32, described, flag } from '../domain/described.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { appData, appDataOf } from '../storage/models/app-data.ts'
import { appDataByHash } from '../storage/models/keyed.ts'
import { builder } from './builder.ts'
import { tradingOn } from './context/networks.ts'
import { describedRef } from './described.ts'
import { bytes32Field, networkField, objectExpected, scalarField, textField } from './input/fields.ts'
import { inputArgument, inputType } from './input/input-type.ts'
import { AppDataRef } from './refs.ts'
import { exposeModel, storedRoot } from './stored/expose.ts'
import { keyedResolver } from './stored/resolve.ts'

const document = textField.meta({ description: 'The document, as its hash is to be taken.' })

/** The body in REST, which has the hash, if any, in the path. */
export const appDataBody = z.object({ fullAppData: document }, objectExpected)

export const uploadAppDataInput = inputType('UploadAppDataInput', {
  description: 'An appData document to be stored.',
  schema: z.object(
    {
      hash: bytes32Field.nullish().meta({ description: 'Its hash, to be checked; computed when left out.' }),
      document: scalarField('AppDataDocument', document),
      network: networkField('The order book that it follows gets the document too; all of them if left out.'),
    },
    objectExpected,
  ),
})

exposeModel(appData)

const UploadAppDataPayloadRef = describedRef(
  described('UploadAppDataPayload', 'The result of an upload.', {
    hash: bytes32(appData.fields.hash.description),
    created: flag('false when the document was stored already.'),
  }),
)

builder.objectField(UploadAppDataPayloadRef, 'appData', (t) =>
  t.field({
    type: AppDataRef,
    description: 'The document as it is stored.',
    resolve: keyedResolver(appDataByHash, ({ hash }) => hash),
  }),
)

builder.queryFields((t) => ({
  appData: storedRoot(t, appDataOf, {
    args: { hash: t.arg({ type: 'Bytes32', required: true, description: appData.fields.hash.description }) },
    rowArguments: (args: { hash: Bytes32 }) => args,
    readMissing: async ({ hash }, { networks, client }, result) => {
      if (result !== null) return false
      const read = await Promise.all(networks.all.map((trading) => trading.readDocument?.(hash, client)))
      return read.includes(true)
    },
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
    args: { input: inputArgument(t.arg, uploadAppDataInput) },
    async resolve(_root, { input: { hash, document, network } }, context) {
      const { networks, uploadAppData, client } = context
      const uploaded = await uploadAppData(hash ?? null, document, client)
      const served = network == null ? networks.all : [tradingOn(context, network)]
      // The key of a client is of one order book: others do not get it.
      const asker = served.length > 1 ? { client } : context
      await Promise.all(served.map((trading) => trading.uploadDocument?.(document, asker)))
      return uploaded
    },
  }),
)
