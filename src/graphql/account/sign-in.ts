import { z } from 'zod'
import {
  createSignInChallenge,
  type OpenedSession,
  openedSession,
  signIn,
  signInChallenge,
  signOut,
  signOutEverywhere,
} from '../../accounts/sign-in.ts'
import { described, uint32 } from '../../domain/described.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireAccount } from '../context/access.ts'
import { storing } from '../context/stored-bytes.ts'
import { describedRef } from '../described.ts'
import { addressField, hexField, objectExpected, textField } from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { AccountRef } from '../refs.ts'
import { keyedResolver } from '../stored/resolve.ts'

const maxMessageLength = 2_000

const SignInPayloadRef = describedRef<typeof openedSession, OpenedSession>(openedSession)

builder.objectField(SignInPayloadRef, 'account', (t) =>
  t.field({
    type: AccountRef,
    description: 'The account of the session.',
    resolve: keyedResolver(accountByAddress, ({ account }) => account),
  }),
)

const SignOutPayloadRef = describedRef(
  described('SignOutPayload', 'Sessions that ended.', { sessions: uint32('The number of ended sessions.') }),
)

export const signInInput = inputType('SignInInput', {
  description: 'A signed message of EIP-4361.',
  schema: z.object(
    {
      message: textField
        .min(1, 'must not be empty')
        .max(maxMessageLength, `must have at most ${maxMessageLength} characters`)
        .meta({
          description: 'The text that was signed, with the nonce, domain and URI of createSignInChallenge.',
        }),
      signature: hexField.meta({
        description: 'A key’s, a contract wallet’s (ERC-1271), or that of one not yet deployed (ERC-6492).',
      }),
    },
    objectExpected,
  ),
})

const accountInput = inputType('SignOutEverywhereInput', {
  description: 'The account whose sessions end.',
  schema: z.object({ account: addressField.meta({ description: 'Its address.' }) }, objectExpected),
})

builder.mutationFields((t) => ({
  createSignInChallenge: t.field({
    type: describedRef(signInChallenge),
    description: 'Gives a nonce for a message that proves an account. It works for ten minutes.',
    resolve: (_root, _args, context) =>
      storing(context, 'sign-in nonces', () => createSignInChallenge(context.signIn, context.origin)),
  }),
  signIn: t.field({
    type: SignInPayloadRef,
    description:
      'Opens a session for the account that signed the message. An account has 20 at most: older ones end.',
    args: { input: inputArgument(t.arg, signInInput) },
    resolve: (_root, { input }, context) =>
      storing(context, 'sessions', () => signIn(input, context.signIn, context)),
  }),
  signOut: t.field({
    type: SignOutPayloadRef,
    description: 'Ends the session whose token the request carries, if it is open.',
    resolve: async (_root, _args, { db, apiKey }) => ({ sessions: (await signOut(db, apiKey)) ? 1 : 0 }),
  }),
  signOutEverywhere: t.field({
    type: SignOutPayloadRef,
    description: 'Ends all sessions of an account. Needs one of them, or the key of the content system.',
    args: { input: inputArgument(t.arg, accountInput) },
    async resolve(_root, { input: { account } }, context) {
      await requireAccount(context, account)
      return { sessions: await signOutEverywhere(context.db, account) }
    },
  }),
}))
