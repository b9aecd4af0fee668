import { z } from 'zod'
import { signInInput } from '../../graphql/account/channel/sign-in.ts'
import { address, count, timestamp } from '../openapi/schemas/primitives.ts'

export const signInBody = signInInput.schema

export const signInChallenge = z.object({
  nonce: z.string(),
  domain: z.string(),
  uri: z.url(),
  expiresAt: timestamp,
})

export const openedSession = z.object({
  token: z.string(),
  account: address.meta({ description: 'Whose session it is.' }),
  expiresAt: timestamp,
})

export const endedSessions = z.object({ sessions: count })
