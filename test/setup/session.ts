import type { BaseWallet } from 'ethers'
import { SiweMessage } from 'siwe'

export interface GraphqlAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of every shape
  data: any
  errors?: { message: string; extensions: { code: string; field?: string; data?: unknown } }[]
}

/** One operation, whose errors are part of the answer. @param token of a session, or a key */
export async function ask(
  url: string,
  query: string,
  variables: object = {},
  token?: string,
): Promise<GraphqlAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query, variables }),
  })
  return (await response.json()) as GraphqlAnswer
}

export const signInMutation =
  'mutation ($input: SignInInput!) { signIn(input: $input) { token expiresAt account { address } } }'

/** A message of EIP-4361 with a new nonce of the server. */
export async function createMessage(
  url: string,
  members: Pick<SiweMessage, 'address' | 'chainId'> & Partial<SiweMessage>,
): Promise<string> {
  const { data } = await ask(url, 'mutation { createSignInChallenge { nonce domain uri } }')
  const { nonce, domain, uri } = data.createSignInChallenge
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
