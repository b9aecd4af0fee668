import { describe, expect, test } from 'vitest'
import { mailboxOf, toEmailAddress } from '../../../src/domain/notification/channel.ts'

const label = 'd'.repeat(63)
const longest = `${'a'.repeat(60)}@${label}.${label}.${label}.e`

describe('a plain address', () => {
  test.each([
    ['Ada@Example.COM', 'Ada@example.com'],
    ["a.b+c!#$%&'*/=?^`{|}~-_9@x-1.io", "a.b+c!#$%&'*/=?^`{|}~-_9@x-1.io"],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
    [`a@${label}.com`, `a@${label}.com`],
    [longest, longest],
    ['a@1.2.x3', 'a@1.2.x3'],
  ])('%s', (text, address) => {
    expect(toEmailAddress(text)).toBe(address)
  })
  test('may have 254 characters', () => {
    expect(longest).toHaveLength(254)
    expect(toEmailAddress(`${longest}e`)).toBeUndefined()
  })
})

test.each([
  ['ada', 'no at'],
  ['@example.com', 'no name'],
  ['a b@example.com', 'a space'],
  ['a@b@example.com', 'two ats'],
  ['a..b@example.com', 'two dots'],
  ['.a@example.com', 'a dot in front'],
  ['a.@example.com', 'a dot behind'],
  ['ä@example.com', 'another letter'],
  ['<a@example.com>', 'brackets'],
  ['a@example.com\n', 'a line break'],
  ['a@example', 'one label'],
  ['a@example..com', 'an empty label'],
  ['a@-example.com', 'a hyphen in front'],
  ['a@example-.com', 'a hyphen behind'],
  ['a@exa_mple.com', 'an underscore'],
  ['a@127.0.0.1', 'a host by its number'],
  ['a@[::1]', 'a host in brackets'],
  [`${'a'.repeat(65)}@example.com`, 'a long name'],
  [`a@${label}d.com`, 'a long label'],
])('%s is none: %s', (text) => {
  expect(toEmailAddress(text)).toBeUndefined()
})

test.each([
  ['Ada.Love.Lace+shop+x@example.com', 'adalovelace@example.com'],
  ['ada@example.com', 'ada@example.com'],
  ['+tag@example.com', '+tag@example.com'],
  ['A@b@example.com', 'a@b@example.com'],
])('the mailbox of %s is %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox)
})
