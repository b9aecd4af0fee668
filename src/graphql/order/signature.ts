import { readAppDataDocument } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { explainSignature, signatureExplanation } from '../../domain/signing/explain-signature.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { describedRef } from '../described.ts'
import { inputArgument } from '../input/input-type.ts'
import { networkArgument } from '../paging.ts'
import { orderInput } from './placement.ts'

/** A search costs as much as many reads: one per request, limited like an order submission. */
const explainedContexts = new WeakSet<Context>()

builder.queryField('explainSignature', (t) =>
  t.field({
    type: describedRef(signatureExplanation),
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

/** Null for an invalid document as well: explaining a signature does not require a valid one. */
const signerIn = (document: string | null) => readAppDataDocument(document)?.signer ?? null
