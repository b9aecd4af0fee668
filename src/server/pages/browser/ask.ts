import type { Documents } from './documents.generated.ts'
import { serviceUrl } from './root.ts'

const noAnswer = {
  message: 'The service does not answer.',
  extensions: { code: 'Unavailable', retryable: true },
}

/** Refusal or outage of the service. The message is for people. */
export class Refused extends Error {
  readonly code: string
  /** True if a repetition may succeed later. */
  readonly isPassing: boolean

  constructor(message: string, code: string, isPassing = false) {
    super(message)
    this.code = code
    this.isPassing = isPassing
  }
}

/** Runs one operation. @param url of GraphQL, if there is no page to find it by. @throws Refused */
export async function queryService<Text extends keyof Documents & string>(
  query: Text,
  variables: Documents[Text]['variables'],
  { token, url = serviceUrl('graphql') }: { token?: string | undefined; url?: string | URL } = {},
): Promise<Documents[Text]['result']> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const init = { method: 'POST', headers, body: JSON.stringify({ query, variables }) }
  const answer = await fetch(url, init)
    .then((response) => response.json())
    .catch(() => ({ errors: [] }))
  const { data, errors = [] } = answer
  if (data && errors.length === 0) return data
  const [{ message, extensions } = noAnswer] = errors
  throw new Refused(message, extensions?.code ?? 'Unavailable', extensions?.retryable ?? false)
}

export const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))
