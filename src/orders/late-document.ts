import { type ParsedAppData, readAppDataDocument } from '../domain/app-data/document.ts'
import { createLruCache } from '../domain/derived.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import type { Interactions, Order } from '../domain/order/order.ts'
import { gasUnits, hooksGas } from '../domain/settlement/gas.ts'
import type { OrderLimits } from './check.ts'
import { checkDocument, checkGas, checkValidFrom } from './checks/in-memory.ts'
import { toInteractions } from './interactions.ts'

/** The members of an order that follow from its document. */
type DocumentTerms = Pick<Order, 'interactions' | 'validFrom'>

type DocumentLimits = Pick<OrderLimits, 'maxGas' | 'minValidity'>

interface DocumentRules {
  network: Pick<Network, 'hooksTrampoline'>
  limits: DocumentLimits
}

/** Documents without these words have no member that is applied here. A backslash can escape a name. */
const applied = /"(hooks|validFrom|signer|wrappers)"|\\/

/** Documents in memory: many orders share one. */
const maxDocuments = 100

/**
 * Returns a reader of the documents of orders that may have been placed by their hash, before the document
 * was known. The checks are those of an order that is placed with it: none but its form for an order that
 * was placed on chain. The gas of the signature is an estimate.
 * @returns the terms to store with the order; undefined if the document adds nothing; the refusal that an
 *   order with this document gets
 */
export function createLateDocumentReader({ network, limits }: DocumentRules) {
  const documents = createLruCache<string, ReadDocument>({
    max: maxDocuments,
    memoMethod: (document) => read(document, network.hooksTrampoline),
  })
  return (order: Order): DocumentTerms | Refusal | undefined => {
    const { fullAppData, interactions, onchainUser, validFrom } = order
    if (fullAppData === null || !applied.test(fullAppData)) return undefined
    const { parsed, hooks } = documents.memo(fullAppData)
    if (!parsed) return undefined
    // The contract of an order that was placed on chain makes a call of its own before the order.
    const own = onchainUser === null ? 0 : 1
    const lacksHooks = callsIn(interactions) === own && callsIn(hooks) > 0
    const isLate = lacksHooks || (validFrom === null && parsed.validFrom !== null)
    try {
      if (onchainUser === null) checkTerms(order, parsed, isLate, limits)
    } catch (fault) {
      if (fault instanceof Refusal) return fault
      throw fault
    }
    if (!isLate) return undefined
    const { pre, post } = interactions
    const withHooks = { pre: [...pre, ...hooks.pre], post: [...post, ...hooks.post] }
    return { interactions: lacksHooks ? withHooks : interactions, validFrom: parsed.validFrom }
  }
}

const callsIn = ({ pre, post }: Interactions) => pre.length + post.length

/** @throws Refusal */
function checkTerms(order: Order, parsed: ParsedAppData, isLate: boolean, limits: DocumentLimits): void {
  checkDocument(parsed, order.owner)
  if (!isLate) return
  const signature = order.signingScheme === 'eip1271' ? gasUnits.contractSignature : 0n
  checkGas((order.quote?.gasAmount ?? 0n) + signature + hooksGas(parsed), limits)
  checkValidFrom(parsed, order, limits)
}

interface ReadDocument {
  /** Null for a document that only the rules of an older version accept: it has no terms. */
  parsed: ParsedAppData | null
  hooks: Interactions
}

function read(document: string, trampoline: Address): ReadDocument {
  const parsed = readAppDataDocument(document)
  return { parsed, hooks: toInteractions(parsed, trampoline) }
}
