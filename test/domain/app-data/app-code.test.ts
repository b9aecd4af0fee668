import { expect, test } from 'vitest'
import { appCodeOf } from '../../../src/domain/app-data/document.ts'

const longest = 'a'.repeat(100)

test.each([
  ['{"appCode":"Shop"}', 'Shop'],
  ['{"appCode":""}', ''],
  [`{"appCode":"${longest}"}`, longest],
  [`{"appCode":"${longest}a"}`, null],
  ['{"appCode":"a\\u0000b"}', null],
  ['{"appCode":7}', null],
  ['{"metadata":{"appCode":"Shop"}}', null],
  ['null', null],
  ['not json', null],
  [null, null],
])('the application of %s is %s', (document, code) => {
  expect(appCodeOf(document)).toBe(code)
})
