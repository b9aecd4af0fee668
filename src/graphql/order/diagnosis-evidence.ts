import { type EvidenceOf, evidenceTypes } from '../../domain/diagnosis/evidence.ts'
import { orderByUid } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { describedRef } from '../described.ts'
import { OrderRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'

type Kind = keyof typeof evidenceTypes

const refOf = <Each extends Kind>(kind: Each) =>
  describedRef<(typeof evidenceTypes)[Each], EvidenceOf<Each> & { chainId: number }>(evidenceTypes[kind])

builder.objectField(refOf('order'), 'order', (t) =>
  t.field({
    type: OrderRef,
    nullable: true,
    description: 'The order; null where it is not known.',
    resolve: async ({ uid }, _args, context, info) =>
      (await resolveKeyed(orderByUid, uid, context, info)) as StoredValue | null,
  }),
)

export const DiagnosisEvidence = builder.unionType('DiagnosisEvidence', {
  description: 'A fact behind a reason.',
  types: (Object.keys(evidenceTypes) as Kind[]).map(refOf),
  resolveType: ({ kind }) => evidenceTypes[kind].name,
})
