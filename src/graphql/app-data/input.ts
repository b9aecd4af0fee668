import { z } from 'zod'
import { bytes32Field, objectExpected, scalarField, textField } from '../input/fields.ts'
import { inputType } from '../input/input-type.ts'

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
