import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../../src/rest/openapi/document.ts'

test('redocly finds no fault in the document', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(openApiDocument('0.1.0'))
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  const faults = problems.map(({ ruleId, severity, message, location }) => ({
    ruleId,
    severity,
    message,
    at: location[0]?.pointer,
  }))
  expect(faults).toEqual([])
})
