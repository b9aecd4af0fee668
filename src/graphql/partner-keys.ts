import { z } from 'zod'
import { described, objectOf, text } from '../domain/described.ts'
import { findPartnerKeys, partnerKeyType } from '../storage/partner-keys.ts'
import { builder } from './builder.ts'
import { forOperator, requireOperator } from './context/access.ts'
import { describedRef } from './described.ts'
import { objectExpected, scalarField, textField, wholeNumberField } from './input/fields.ts'
import { inputArgument, inputType } from './input/input-type.ts'
import { checkFirst, connectionRef, cursorArguments, pageOf, placeIn } from './paging.ts'

const maxNameLength = 100
const maxLimit = 100_000
const [defaultOverlap, maxOverlap] = [86_400, 2_592_000]
const maxPage = 100

const keyId = scalarField('ID', z.uuid('must be the id of a key')).meta({ description: 'The key.' })
const name = textField
  .min(1, 'must not be empty')
  .max(maxNameLength, `must have at most ${maxNameLength} characters`)
  .regex(/^\P{Cc}*$/u, 'must be one line')
const limitField = wholeNumberField('Uint32', maxLimit, `a whole number from 1 to ${maxLimit}`).refine(
  (limit) => limit > 0,
  `must be a whole number from 1 to ${maxLimit}`,
)
const overlap = wholeNumberField('Uint32', maxOverlap, `a whole number from 0 to ${maxOverlap}`)
const { costUnitsPerSecond, streams } = partnerKeyType.fields
const limits = {
  costUnitsPerSecond: limitField.nullish().meta({ description: costUnitsPerSecond.description }),
  streams: limitField.nullish().meta({ description: streams.description }),
}

const createInput = inputType('CreatePartnerKeyInput', {
  description: 'A new key of a partner.',
  schema: z.object(
    { name: name.meta({ description: partnerKeyType.fields.name.description }), ...limits },
    objectExpected,
  ),
})

const rotateInput = inputType('RotatePartnerKeyInput', {
  description: 'The key to replace.',
  schema: z.object(
    {
      id: keyId,
      overlapSeconds: overlap.nullish().meta({
        description: `Seconds for which the key before still works; ${defaultOverlap} if left out.`,
      }),
    },
    objectExpected,
  ),
})

const changeInput = inputType('ChangePartnerKeyInput', {
  description: 'Changes of a key. Omitted members stay; a limit of null is that of other clients.',
  schema: z.object(
    { id: keyId, name: name.nullish().meta({ description: 'Another name.' }), ...limits },
    objectExpected,
  ),
})

const revokeInput = inputType('RevokePartnerKeyInput', {
  description: 'The key to revoke.',
  schema: z.object({ id: keyId }, objectExpected),
})

const PartnerKeyRef = describedRef(partnerKeyType)
const keyNow = objectOf(partnerKeyType)('The key as it is now.')
const secretRef = describedRef(
  described('PartnerKeySecretPayload', 'A key of a partner with its text.', {
    partnerKey: keyNow,
    key: text('The text of the key. Shown once.'),
  }),
)
const payloadRef = describedRef(
  described('PartnerKeyPayload', 'A key of a partner after a change.', { partnerKey: keyNow }),
)

const guard = { guard: requireOperator }

builder.mutationFields((t) => ({
  createPartnerKey: t.field({
    type: secretRef,
    description: `Creates a key of a partner, with limits of its own. ${forOperator}`,
    args: { input: inputArgument(t.arg, createInput) },
    extensions: guard,
    resolve: (_root, { input: { name, costUnitsPerSecond = null, streams = null } }, { partners }) =>
      partners.create({ name, costUnitsPerSecond, streams }),
  }),
  rotatePartnerKey: t.field({
    type: secretRef,
    description: `Gives a partner another key. The one before works for overlapSeconds more. ${forOperator}`,
    args: { input: inputArgument(t.arg, rotateInput) },
    extensions: guard,
    resolve: (_root, { input: { id, overlapSeconds } }, { partners }) =>
      partners.rotate(id, (overlapSeconds ?? defaultOverlap) * 1_000),
  }),
  changePartnerKey: t.field({
    type: payloadRef,
    description: `Changes the name and the limits of a key. Processes use them within ten seconds. ${forOperator}`,
    args: { input: inputArgument(t.arg, changeInput) },
    extensions: guard,
    resolve: async (_root, { input: { id, name, costUnitsPerSecond, streams } }, { partners }) => ({
      partnerKey: await partners.change(id, {
        ...(name != null && { name }),
        ...(costUnitsPerSecond !== undefined && { costUnitsPerSecond }),
        ...(streams !== undefined && { streams }),
      }),
    }),
  }),
  revokePartnerKey: t.field({
    type: payloadRef,
    description: `Ends a key for good, with its streams. No process takes it after ten seconds. ${forOperator}`,
    args: { input: inputArgument(t.arg, revokeInput) },
    extensions: guard,
    resolve: async (_root, { input: { id } }, { partners }) => ({ partnerKey: await partners.revoke(id) }),
  }),
}))

const PartnerKeyConnectionRef = connectionRef({
  item: PartnerKeyRef,
  description: 'A page of keys of partners, newest first.',
  placeOf: ({ createdAt, id }) => `p${createdAt.getTime()} ${id}`,
})

builder.queryField('partnerKeys', (t) =>
  t.field({
    type: PartnerKeyConnectionRef,
    description: `Keys of partners, revoked ones too, newest first. ${forOperator}`,
    args: cursorArguments(t.arg, 20, maxPage),
    async resolve(_root, { first, after }, context) {
      requireOperator(context)
      checkFirst(first, maxPage)
      const [time, id = ''] = after == null ? [] : placeIn(after, /^p([0-9]{1,15}) ([0-9a-f-]{36})$/)
      const keys = await findPartnerKeys(context.db, {
        limit: first + 1,
        ...(time !== undefined && { before: { createdAt: new Date(Number(time)), id } }),
      })
      return pageOf(keys, first, context)
    },
  }),
)
