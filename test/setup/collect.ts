import { createClient, type ExecutionResult } from 'graphql-sse'

/** A subscription whose results are collected as they come. */
export function collect<Data>(url: string, query: string, variables: Record<string, unknown>) {
  const client = createClient({ url: `${url}/graphql/stream`, retryAttempts: 0 })
  const results: ExecutionResult<Data>[] = []
  const dispose = client.subscribe<Data>(
    { query, variables },
    {
      next: (result) => results.push(result as ExecutionResult<Data>),
      error: () => {},
      complete: () => {},
    },
  )
  return {
    results,
    data: () => results.map(({ data }) => data as Data),
    [Symbol.dispose]() {
      dispose()
      client.dispose()
    },
  }
}
