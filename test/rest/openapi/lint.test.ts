import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../../src/rest/openapi/document.ts'

test('redocly finds no fault in the document', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(openApiDocument('0.1.0'))
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  // No network is called `accounts` or `sse`.
  const isNoNetwork = (message: string) =>
    message.includes('ambiguous paths: `/accounts/{account}/channels/{id}` and `/{network}/') ||
    /ambiguous paths: `\/{network}\/.*` and `\/sse\/{network}\/balances\/{owner}`/.test(message)
  const faults = problems
    .filter(({ message }) => !isNoNetwork(message))
    .map(({ ruleId, severity, message, location }) => ({
      ruleId,
      severity,
      message,
      at: location[0]?.pointer,
    }))
  expect(faults).toEqual([])
})
