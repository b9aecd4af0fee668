import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { settings } from '../../src/app/settings.ts'

const folder = path.join(import.meta.dirname, '..', '..', 'ops')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /Containerfile$|\.(yaml|service)$/.test(file),
)
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8')

/** Of other programs in these files. */
const others = new Set([
  'NODE_ENV',
  'POSTGRES_USER',
  'POSTGRES_PASSWORD',
  'POSTGRES_DB',
  'AF_INET',
  'AF_INET6',
  'AF_UNIX',
])

test.each(files)('%s names only settings that there are', (file) => {
  const text = textOf(file).replace(/^\s*#.*$/gm, '')
  const names = text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []
  const unknown = names.filter((name) => !(name in settings.shape) && !others.has(name))
  expect([...new Set(unknown)]).toEqual([])
})

test.each(['compose.yaml', 'kubernetes/kustomization.yaml', 'systemd/tradegraph@.service'])(
  '%s has the address at which accounts sign in',
  (file) => {
    expect(textOf(file)).toContain('PUBLIC_URL')
  },
)

test('the Containerfile has no fault that its linter knows', () => {
  expect(validate(textOf('Containerfile'))).toEqual([])
})

test('every file is there', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'Containerfile',
      'compose.yaml',
      'kubernetes/serve.yaml',
      'systemd/tradegraph@.service',
    ]),
  )
})
