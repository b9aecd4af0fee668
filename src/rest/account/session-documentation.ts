import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { endedSessions, openedSession, signInBody, signInChallenge } from './session-schema.ts'

const headers = { Authorization: `Bearer ${sample.session}` }

export const sessionOperations: Operations = {
  'POST /sessions/challenges': {
    id: 'createSignInChallenge',
    summary: 'What a message that proves an account has to contain',
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
      'With a message of EIP-4361 that the account has signed: a key, a contract wallet (ERC-1271), or one that is not yet deployed (ERC-6492). An account has 20 sessions at most: older ones end.',
    body: signInBody,
    answers: {
      201: { description: 'The token, this once: `Authorization: Bearer …`.', schema: openedSession },
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
    description: 'Ends the session whose token the request carries, if it is open.',
    answers: { 200: { description: 'How many sessions ended.', schema: endedSessions } },
    examples: { open: { summary: 'An open session', headers, answer: { sessions: 1 } } },
  },
  'DELETE /accounts/:account/sessions': {
    id: 'signOutEverywhere',
    summary: 'End all sessions of an account',
    needsSession: true,
    answers: { 200: { description: 'How many ended.', schema: endedSessions } },
    examples: {
      key: {
        summary: 'By the key of the content system',
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
