import type { BaseWallet } from 'ethers'
import { SiweMessage } from 'siwe'
import { eventually } from './eventually.ts'

export interface GraphqlAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  data: any
  errors?: {
    message: string
    extensions: { code: string; retryable?: boolean; field?: string; data?: unknown }
  }[]
}

/**
 * One operation, whose errors are part of the answer.
 * @param token of a session, or a key
 * @param origin of the page that sends it
 */
export async function ask(
  url: string,
  query: string,
  variables: object = {},
  token?: string,
  origin?: string,
): Promise<GraphqlAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(origin !== undefined && { origin }),
    },
    body: JSON.stringify({ query, variables }),
  })
  return (await response.json()) as GraphqlAnswer
}

export const signInMutation =
  'mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt account { address } } }'

/** A message of EIP-4361 with a new nonce of the server, for the page of an origin. */
export async function createMessage(
  url: string,
  members: Pick<SiweMessage, 'address' | 'chainId'> & Partial<SiweMessage>,
  pageOrigin?: string,
): Promise<string> {
  const mutation = 'mutation { createSignInChallenge { nonce domain uri } }'
  // The limit of writes may be used up.
  const { nonce, domain, uri } = await eventually('a challenge', async () => {
    const { data } = await ask(url, mutation, {}, undefined, pageOrigin)
    return data?.createSignInChallenge
  })
  return new SiweMessage({ version: '1', nonce, domain, uri, ...members }).prepareMessage()
}

/** @returns the token of a new session */
export async function openSession(
  url: string,
  key: BaseWallet,
  { chainId, now = Date.now() }: { chainId: number; now?: number },
): Promise<string> {
  const issuedAt = new Date(now).toISOString()
  const message = await createMessage(url, { address: key.address, chainId, issuedAt })
  const { data } = await ask(url, signInMutation, {
    input: { message, signature: await key.signMessage(message) },
  })
  return data.signIn.token
}
