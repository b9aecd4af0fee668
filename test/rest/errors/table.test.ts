import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { errorTable } from '../../../src/rest/errors/table.ts'
import { accountRoutes, orderBookRoutes } from '../../../src/rest/routes.ts'

test('docs/errors.md lists all codes: after a change run `npm run codegen`', () => {
  const file = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'errors.md')
  expect(errorTable([...orderBookRoutes, ...accountRoutes])).toBe(readFileSync(file, 'utf8'))
})
