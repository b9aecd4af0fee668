import { z } from 'zod'
import { channelInput } from '../../graphql/account/channel-mutations.ts'
import { signInInput } from '../../graphql/account/sign-in.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type { Operations } from '../openapi/operation.ts'
import { address } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { fieldText, selected } from '../openapi/selected.ts'
import { checkedInput } from '../routing/request.ts'
import { type Route, route } from '../routing/route.ts'

export const signInBody = signInInput.schema

const challengeFields = 'nonce domain uri expiresAt'
const sessionFields = 'token expiresAt'
const endedFields = 'sessions'

export const signInChallenge = selected('SignInChallengePayload', challengeFields, { uri: z.url() })
export const openedSession = selected('SignInPayload', sessionFields, { account: address })
export const endedSessions = selected('SignOutPayload', endedFields)

const accountPath = channelInput.schema.pick({ account: true })

/** Routes that prove the control of an account. */
export const sessionRoutes: Route[] = [
  route({
    on: 'POST /sessions/challenges',
    hasNoBody: true,
    run: `mutation { createSignInChallenge { ${challengeFields} } }`,
    answer: ({ createSignInChallenge }) => createSignInChallenge,
    status: () => 201,
  }),
  route({
    on: 'POST /sessions',
    isSecret: true,
    run: `mutation ($input: SignInInput!) { signIn(input: $input) { ${sessionFields} account { address } } }`,
    variables: ({ body }) => ({ input: checkedInput(signInBody, body) }),
    answer: ({ signIn: { account, ...session } }) => ({ ...session, account: account.address }),
    status: () => 201,
  }),
  route({
    on: 'DELETE /sessions',
    hasNoBody: true,
    run: `mutation { signOut { ${endedFields} } }`,
    answer: ({ signOut }) => signOut,
  }),
  route({
    on: 'DELETE /accounts/:account/sessions',
    hasNoBody: true,
    run: `mutation ($input: SignOutEverywhereInput!) { signOutEverywhere(input: $input) { ${endedFields} } }`,
    variables: ({ path }) => ({ input: parseInput(accountPath, path) }),
    answer: ({ signOutEverywhere }) => signOutEverywhere,
  }),
]

const headers = { Authorization: `Bearer ${sample.session}` }

const ended = { 200: { description: fieldText('SignOutPayload.sessions'), schema: endedSessions } }

export const sessionOperations: Operations = {
  'POST /sessions/challenges': {
    id: 'createSignInChallenge',
    summary: 'Contents of a message that proves an account',
    description: 'The nonce works for ten minutes, once.',
    answers: { 201: { description: 'A new nonce.', schema: signInChallenge } },
    codes: ['FeatureDisabled'],
    examples: {
      challenge: {
        summary: 'A nonce',
        answer: {
          nonce: sample.nonce,
          domain: 'trade.example',
          uri: 'https://trade.example',
          expiresAt: '2027-01-15T08:10:00Z',
        },
      },
    },
  },
  'POST /sessions': {
    id: 'signIn',
    summary: 'Sign in',
    description:
      'Takes a message of EIP-4361 that the account has signed: a key, a contract wallet (ERC-1271), or one not yet deployed (ERC-6492). An account has at most 20 sessions: older ones end.',
    body: signInBody,
    answers: {
      201: { description: 'The token, shown once: `Authorization: Bearer …`.', schema: openedSession },
    },
    codes: ['InvalidSignIn', 'FeatureDisabled'],
    examples: {
      key: {
        summary: 'Signed by a key',
        body: sample.signIn,
        answer: {
          token: 'tgs_Fl5Dk8vQmJ2hXr0aPz6cYt1uWb9eNs4oKi7gLx3jZyQ',
          account: sample.trader,
          expiresAt: '2027-01-15T09:00:00Z',
        },
      },
      again: {
        summary: 'The same once more',
        body: sample.signIn,
        refused: ['InvalidSignIn', 'the nonce is unknown, used or expired'],
      },
      malformed: {
        summary: 'Another text',
        body: { ...sample.signIn, message: 'Let me in' },
        refused: ['InvalidSignIn', 'the message does not follow EIP-4361'],
      },
    },
  },
  'DELETE /sessions': {
    id: 'signOut',
    summary: 'Sign out',
    description: fieldText('Mutation.signOut'),
    answers: ended,
    examples: { open: { summary: 'An open session', headers, answer: { sessions: 1 } } },
  },
  'DELETE /accounts/:account/sessions': {
    id: 'signOutEverywhere',
    summary: 'End all sessions of an account',
    needsSession: true,
    answers: ended,
    examples: {
      key: {
        summary: 'With the key of the content system',
        path: { account: sample.trader },
        headers: { 'X-API-Key': sample.key },
        answer: { sessions: 1 },
      },
      withoutSession: {
        summary: 'Without a session',
        path: { account: sample.trader },
        refused: ['Unauthorized', 'send the token of a session of this account as Authorization: Bearer …'],
      },
    },
  },
}
