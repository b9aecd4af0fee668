import { parseAppDataDocument } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { explainSignature } from '../../domain/signing/explain-signature.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { SignatureMistake } from '../enums.ts'
import { inputArgument } from '../input/input-type.ts'
import { networkArgument } from '../paging.ts'
import { SignatureExplanationRef } from '../refs.ts'
import { orderInput } from './placement.ts'

SignatureExplanationRef.implement({
  description: 'A comparison of an order’s signature with the expected one.',
  fields: (t) => ({
    valid: t.exposeBoolean('valid', {
      nullable: true,
      description:
        'True if the expected signer signed this order as declared. Null if no expected signer is known, and for PRESIGN and EIP1271, which only the chain can judge.',
    }),
    mistake: t.expose('mistake', {
      type: SignatureMistake,
      nullable: true,
      description:
        'null when there is none, and when it is none of the known ones: another account signed, or another order was signed.',
    }),
    explanation: t.exposeString('explanation', { description: 'The same in words, with the details.' }),
    recoveredSigner: t.expose('recoveredSigner', {
      type: 'Address',
      nullable: true,
      description:
        'The account whose signature it is if the order was signed as declared; null when no account can be recovered.',
    }),
    expectedSigner: t.expose('expectedSigner', {
      type: 'Address',
      nullable: true,
      description: '`from`, else the signer that the appData document names.',
    }),
    domainSeparator: t.expose('domainSeparator', {
      type: 'Bytes32',
      description: 'EIP-712 hash of the network’s signing domain.',
    }),
    structHash: t.expose('structHash', { type: 'Bytes32', description: 'EIP-712 hash of the order alone.' }),
    digest: t.expose('digest', {
      type: 'Bytes32',
      description: 'The digest to sign as typed data; ETHSIGN signs it as a personal message of 32 bytes.',
    }),
  }),
})

/** A search costs as much as many reads: one per request, limited like an order submission. */
const explainedContexts = new WeakSet<Context>()

builder.queryField('explainSignature', (t) =>
  t.field({
    type: SignatureExplanationRef,
    extensions: { limited: 'orders' },
    description:
      'Says what is wrong with an order’s signature: tries what clients are known to sign by mistake, and names it. Nothing is stored, and neither database nor chain is asked. Once in a request.',
    args: {
      network: networkArgument(t.arg),
      order: inputArgument(t.arg, orderInput, 'The order as it would be placed.'),
    },
    resolve: (_root, { network, order }, context) => {
      if (explainedContexts.has(context)) {
        throw new Refusal('QueryTooComplex', 'one signature is explained in a request')
      }
      explainedContexts.add(context)
      return explainSignature(order, signerIn(order.appData.document), tradingOn(context, network).network)
    },
  }),
)

/** null for an invalid document as well: explaining a signature does not require a valid one. */
function signerIn(document: string | null) {
  try {
    return document === null ? null : parseAppDataDocument(document).signer
  } catch {
    return null
  }
}
