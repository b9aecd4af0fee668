import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/server/metrics.ts'

const root = path.join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const rules = read('ops/prometheus/alerts.yml')
const dashboard = JSON.parse(read('ops/grafana/dashboards/tradegraph.json')) as {
  panels: { type: string; title: string; targets?: { expr: string }[] }[]
}
const reference = read('docs/reference/metrics.md')
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)

/** Labels by the names of metrics, as the reference has them. */
const documented = new Map(
  [...reference.matchAll(/^\| `(\w+)` \| \w+ \| (.*?) \|/gm)].map(([, name = '', labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  ]),
)
/** Of Prometheus itself, and of what it scrapes. */
const ofScrapes = ['job', 'instance', 'le']

function expressions(): [where: string, expression: string][] {
  const ofRules = rules
    .split(/^ +- alert: /m)
    .slice(1)
    .map((text): [string, string] => [
      text.split('\n')[0] ?? '',
      /expr: ([\s\S]*?)\n {8}for:/.exec(text)?.[1] ?? '',
    ])
  const ofPanels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  )
  return [...ofRules, ...ofPanels]
}

test('there are rules and panels, each with an expression', () => {
  expect(alerts.length).toBeGreaterThan(20)
  expect(expressions().filter(([, expression]) => expression.trim() === '')).toEqual([])
  expect(dashboard.panels.filter(({ type, targets }) => type !== 'row' && !targets?.length)).toEqual([])
})

describe.each(expressions())('%s', (_where, expression) => {
  const metrics = [...expression.matchAll(/\b((?:tradegraph|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)]

  test('asks for metrics and labels that exist', async () => {
    const standard = await createMetrics(true).text()
    expect(metrics.length).toBeGreaterThan(0)
    for (const [, name = '', labels = ''] of metrics) {
      const base = name.replace(/_(bucket|count|sum)$/, '')
      const known = documented.get(name) ?? documented.get(base)
      if (name !== 'up' && !known) expect(standard, name).toContain(`# TYPE ${name} `)
      for (const [, label = ''] of labels.matchAll(/(\w+)[=!]/g))
        expect([...ofScrapes, ...(known ?? [])], name).toContain(label)
    }
  })
})

test('each alert has a place of its own in the page, which says what to do, and the page has no others', () => {
  const page = read('docs/how-to/alerts.md')
  const places = page.split(/^### /m).slice(1)
  expect(places.map((text) => text.split('\n')[0]).toSorted()).toEqual(alerts.toSorted())
  expect(places.filter((text) => text.length < 150)).toEqual([])
  for (const name of alerts) expect(rules).toContain(`runbook: docs/how-to/alerts.md#${name.toLowerCase()}\n`)
})

test('each alert has a case in which it fires, and one in which it does not', () => {
  const cases = read('ops/prometheus/alerts.test.yml')
  for (const name of alerts)
    for (const kind of ['fires', 'rests']) expect(cases).toContain(`- name: ${name} ${kind}\n`)
})
