import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { validate } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { type PodTemplateSpec, Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { entries } from '../../src/app/commands/catalogue.ts'
import { settings } from '../../src/app/settings.ts'
import { readPage, root } from './pages.ts'

const folder = path.join(root, 'ops')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /Containerfile$|\.(ya?ml|service|json)$/.test(file))
  .toSorted()
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8')
/** The documents of a file, as another program would read them. */
const documentsIn = <Shape>(file: string) =>
  textOf(file)
    .split(/^---$/m)
    .map((text) => parseYaml(text) as Shape)

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
const roles = ['serve', 'index', 'auction', 'tower', 'deliver']
/** Settings that hold a key or a password. */
const secrets = Object.keys(settings.shape).filter((name) => /(KEY|TOKEN|SECRET|PASSWORD)$/.test(name))
/** Settings of the image. */
const image = new Map(
  [...textOf('Containerfile').matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
)

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

test('every file is of a kind that a test below reads', () => {
  expect(files.map((file) => file.split('/')[0])).toEqual(
    expect.arrayContaining([
      'Containerfile',
      'compose.yaml',
      'grafana',
      'kubernetes',
      'prometheus',
      'systemd',
    ]),
  )
  expect(new Set(files.map((file) => file.split('/')[0])).size).toBe(6)
})

// Alerts name reasons of streams, in the form of settings.
test.each(files.filter((file) => !file.startsWith('prometheus/alerts')))(
  '%s names only settings that there are',
  (file) => {
    const text = textOf(file).replace(/^\s*#.*$/gm, '')
    const names = text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []
    const unknown = names.filter((name) => !(name in settings.shape) && !others.has(name))
    expect([...new Set(unknown)]).toEqual([])
  },
)

test.each(['compose.yaml', 'kubernetes/kustomization.yaml', 'systemd/tradegraph@.service'])(
  '%s has the address at which accounts sign in',
  (file) => {
    expect(textOf(file)).toContain('PUBLIC_URL')
  },
)

test('the Containerfile has no fault that its linter knows', () => {
  expect(validate(textOf('Containerfile'))).toEqual([])
})

describe('compose.yaml', () => {
  interface Program {
    image: string
    command?: string[]
    environment?: Record<string, string>
    volumes?: string[]
    depends_on?: Record<string, unknown>
    ports?: string[]
  }
  const [{ services, volumes }] = documentsIn('compose.yaml') as [
    { services: Record<string, Program>; volumes: Record<string, unknown> },
  ]
  const mountsOf = ({ volumes: mounts = [] }: Program) =>
    mounts.map((mount) => {
      const [from = '', to = ''] = mount.split(':')
      return { from, to }
    })
  /** The file of this folder that a service sees at `place`. */
  function seenAt(service: string, place: string): string {
    const mount = mountsOf(services[service] as Program).find(
      ({ to }) => place === to || place.startsWith(`${to}/`),
    )
    return path.join(folder, mount?.from ?? '', place.slice(mount?.to.length))
  }

  test('mounts what exists, or what the page has the operator put there', () => {
    const { text } = readPage('docs/how-to/run-in-containers.md')
    const mounts = Object.values(services).flatMap(mountsOf)
    const missing = mounts.filter(({ from }) =>
      from.startsWith('.')
        ? !existsSync(path.join(folder, from)) && !text.includes(`Put \`${path.basename(from)}\` next to`)
        : !(from in volumes),
    )
    expect(missing).toEqual([])
  })

  test('starts each role and waits for services that there are', () => {
    expect(
      Object.values(services).flatMap(({ image: name, command }) =>
        name.startsWith('tradegraph') ? command : [],
      ),
    ).toEqual(['migrate', ...roles])
    const awaited = Object.values(services).flatMap(({ depends_on: names = {} }) => Object.keys(names))
    expect(awaited.filter((name) => !(name in services))).toEqual([])
  })

  test('gives the key of the solver to the role that settles, and runs the version of the package', () => {
    const keys = Object.entries(services).flatMap(([name, { environment = {} }]) =>
      secrets.filter((secret) => secret in environment).map((secret) => [name, secret]),
    )
    expect(keys).toEqual([['auction', 'SOLVER_PRIVATE_KEY']])
    for (const { image: name } of Object.values(services)) expect(name).toMatch(/:[\w.-]*\d[\w.-]*$/)
    expect(services.serve?.image).toBe(`tradegraph:${version}`)
    expect(services.serve?.ports).toEqual([`127.0.0.1:4000:${image.get('PORT')}`])
    const networksFile = services.serve?.environment?.NETWORKS_FILE ?? ''
    for (const role of roles) expect(seenAt(role, networksFile)).toBe(path.join(folder, 'networks.json'))
  })

  test('lets Prometheus read each process, and Grafana read Prometheus', () => {
    const flag = services.prometheus?.command?.find((text) => text.startsWith('--config.file=')) ?? ''
    const file = seenAt('prometheus', flag.split('=')[1] ?? '')
    const config = parseYaml(readFileSync(file, 'utf8')) as {
      rule_files: string[]
      scrape_configs: { static_configs: { targets: string[] }[] }[]
    }
    for (const rules of config.rule_files) expect(existsSync(path.join(path.dirname(file), rules))).toBe(true)
    const targets = config.scrape_configs.flatMap((scrape) =>
      scrape.static_configs.flatMap(({ targets }) => targets),
    )
    expect(targets).toEqual(roles.map((role) => `${role}:${image.get('METRICS_PORT')}`))
    const provisioned = (name: string) =>
      parseYaml(readFileSync(seenAt('grafana', `/etc/grafana/provisioning/${name}`), 'utf8'))
    const { datasources } = provisioned('datasources/prometheus.yml') as { datasources: { url: string }[] }
    expect(datasources.map(({ url }) => url)).toEqual(['http://prometheus:9090'])
    const { providers } = provisioned('dashboards/tradegraph.yml') as {
      providers: { options: { path: string } }[]
    }
    const dashboards = readdirSync(seenAt('grafana', providers[0]?.options.path ?? ''))
    expect(dashboards).toEqual(['tradegraph.json'])
  })
})

describe('kubernetes', () => {
  const kinds = { Deployment, Job, NetworkPolicy, PodDisruptionBudget, Service }
  type Manifest = ConstructorParameters<typeof Deployment>[0] & { kind: keyof typeof kinds }
  const [kustomization] = documentsIn('kubernetes/kustomization.yaml') as [
    {
      resources: string[]
      labels: { pairs: Record<string, string>; includeTemplates?: boolean }[]
      configMapGenerator: { name: string; literals: string[] }[]
      images: { name: string; newTag: string }[]
    },
  ]
  const own = files.filter((file) => file.startsWith('kubernetes/') && !file.endsWith('kustomization.yaml'))
  const manifests = own.flatMap((file) => documentsIn<Manifest>(file))
  const pods = manifests.flatMap(({ kind, spec }) => {
    const { template, selector } = spec as {
      template?: PodTemplateSpec
      selector?: { matchLabels: Record<string, string> }
    }
    if (kind !== 'Deployment' && kind !== 'Job') return []
    const added = kustomization.labels.filter(({ includeTemplates }) => includeTemplates)
    const labels = Object.assign({ ...template?.metadata?.labels }, ...added.map(({ pairs }) => pairs))
    const [container] = template?.spec?.containers ?? []
    if (!container) throw new Error('a pod without a container')
    return [{ name: container.name, labels, selector, template, container }]
  })
  const ports = (name: string) => pods.find((pod) => pod.name === name)?.container.ports ?? []
  const includes = (labels: Record<string, string>, wanted: Record<string, string> = {}) =>
    Object.entries(wanted).every(([label, value]) => labels[label] === value)

  test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata?.name}`, manifest] as const))(
    '%s is valid',
    (_name, manifest) => {
      const Model = kinds[manifest.kind] as typeof Deployment
      new Model(manifest).validate()
      expect(() => new Model(Object.assign({ ...manifest }, { spec: 1 })).validate()).toThrow()
    },
  )

  test('the kustomization has each file, and the version of the package', () => {
    expect(kustomization.resources.map((file) => `kubernetes/${file}`).toSorted()).toEqual(own)
    expect(kustomization.images.map(({ name, newTag }) => [name, newTag])).toEqual([['tradegraph', version]])
    expect(new Set(pods.map(({ container }) => container.image))).toEqual(new Set(['tradegraph']))
  })

  test('each role runs, and services, budgets and policies find its pods', () => {
    expect(pods.map(({ container }) => container.args?.[0]).toSorted()).toEqual(
      ['migrate', ...roles].toSorted(),
    )
    const commands = entries.map(([name]) => name)
    for (const { name, container, labels, selector } of pods) {
      expect(container.args).toEqual([name])
      expect(commands).toContain(name)
      expect(includes(labels, selector?.matchLabels)).toBe(true)
    }
    for (const { kind, metadata, spec } of manifests) {
      const wanted = {
        Service: () => (spec as unknown as { selector: Record<string, string> }).selector,
        PodDisruptionBudget: () => spec?.selector?.matchLabels,
        NetworkPolicy: () =>
          (spec as unknown as { podSelector: { matchLabels: Record<string, string> } }).podSelector
            .matchLabels,
      }
      const selected = kind in wanted ? wanted[kind as keyof typeof wanted]() : undefined
      const found = pods.filter(({ labels }) => includes(labels, selected)).map(({ name }) => name)
      if (selected && metadata?.name === 'tradegraph')
        expect(found.toSorted()).toEqual(['migrate', ...roles].toSorted())
      else if (selected) expect(found).toEqual([metadata?.name])
    }
  })

  test('probes, services and policies name ports that the image listens on', () => {
    for (const { container } of pods)
      for (const { name, containerPort } of container.ports ?? [])
        expect(String(containerPort)).toBe(image.get(name === 'http' ? 'PORT' : 'METRICS_PORT'))
    for (const { name, container } of pods)
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
        if (probe) expect(ports(name).map((port) => port.name)).toContain(probe.httpGet?.port)
    const text = JSON.stringify(manifests)
    const named = [...text.matchAll(/"(?:port|targetPort)":"(\w+)"/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(['http', 'metrics']))
  })

  test('a pod has the secrets of its role alone, and each file that a setting names', () => {
    const settled = kustomization.configMapGenerator.flatMap(({ literals }) => literals)
    expect(settled.filter((literal) => secrets.some((name) => literal.startsWith(`${name}=`)))).toEqual([])
    const networksFile = settled.find((literal) => literal.startsWith('NETWORKS_FILE='))?.split('=')[1] ?? ''
    const { text } = readPage('docs/how-to/run-in-containers.md')
    for (const { name, container, template } of pods) {
      const sources = (container.envFrom ?? []).map(
        ({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name,
      )
      expect(['tradegraph', `tradegraph-${name}`]).toEqual(expect.arrayContaining([...new Set(sources)]))
      for (const { secretRef } of container.envFrom ?? [])
        if (secretRef) expect(text).toContain(` ${secretRef.name}`.trim())
      expect(container.env).toBeUndefined()
      if (name === 'migrate') continue
      const mount = container.volumeMounts?.find(({ mountPath }) => networksFile.startsWith(`${mountPath}/`))
      const volume = template?.spec?.volumes?.find((candidate) => candidate.name === mount?.name)
      expect(volume?.secret?.secretName).toBe('tradegraph-networks')
    }
    expect(text).toContain('create secret generic tradegraph-networks --from-file networks.json')
    expect(text).toMatch(/`auction\.env` has\s+`SOLVER_PRIVATE_KEY`/)
  })
})
