import { expect, test } from 'vitest'
import { renderTemplate } from '../../../src/domain/notification/announcement.ts'

const long = 'k'.repeat(60)

test.each([
  ['{{ name }} has {{ amount }}', { name: 'Ada', amount: 1.5 }, 'Ada has 1.5'],
  ['{{ name }}, {{ name }}', { name: 'Ada' }, 'Ada, {{ name }}'],
  ['{{ other }} {{ name }}', { name: 'Ada' }, '{{ other }} Ada'],
  ['{{name}} {{  name }} {{ name}} { name }', { name: 'Ada' }, '{{name}} {{  name }} {{ name}} { name }'],
  ['{{ a.b-c_1 }}', { 'a.b-c_1': 0 }, '0'],
  ['{{ empty }}|', { empty: '' }, '|'],
  [
    '{{ flag }} {{ none }} {{ list }}',
    { flag: true, none: null, list: ['x'] },
    '{{ flag }} {{ none }} {{ list }}',
  ],
  ['{{ toString }}', {}, '{{ toString }}'],
  ['{{ name }}{{ other }}', { name: '{{ other }}', other: '$&<b>' }, '{{ other }}$&<b>'],
  [`{{ ${long} }}{{ ${long}k }}`, { [long]: 'x', [`${long}k`]: 'y' }, `x{{ ${long}k }}`],
])('%s with %j is %s', (template, values, text) => {
  expect(renderTemplate(template, values)).toBe(text)
})
