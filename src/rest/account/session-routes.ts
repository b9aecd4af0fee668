import { channelInput } from '../../graphql/account/channel/input.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { checkedInput } from '../row/checked-input.ts'
import { type Route, route } from '../row/route.ts'
import { signInBody } from './session-schema.ts'

const accountPath = channelInput.schema.pick({ account: true })

/** Proof of an account. */
export const sessionRoutes: Route[] = [
  route({
    on: 'POST /sessions/challenges',
    hasNoBody: true,
    run: 'mutation { createSignInChallenge { nonce domain uri expiresAt } }',
    answer: ({ createSignInChallenge }) => createSignInChallenge,
    status: () => 201,
  }),
  route({
    on: 'POST /sessions',
    isSecret: true,
    run: 'mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt account { address } } }',
    variables: ({ body }) => ({ input: checkedInput(signInBody, body) }),
    answer: ({ signIn: { account, ...session } }) => ({ ...session, account: account.address }),
    status: () => 201,
  }),
  route({
    on: 'DELETE /sessions',
    hasNoBody: true,
    run: 'mutation { signOut { sessions } }',
    answer: ({ signOut }) => signOut,
  }),
  route({
    on: 'DELETE /accounts/:account/sessions',
    hasNoBody: true,
    run: 'mutation ($input: SignOutEverywhereInput!) { signOutEverywhere(input: $input) { sessions } }',
    variables: ({ path }) => ({ input: parseInput(accountPath, path) }),
    answer: ({ signOutEverywhere }) => signOutEverywhere,
  }),
]
