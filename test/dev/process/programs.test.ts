import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findAnvil } from '../../../src/dev/chain/anvil.ts'
import { findPackage, programPackages } from '../../../src/dev/process/programs.ts'
import { createTemporaryHome, removeTemporaryHome } from '../../setup/home.ts'

let home: string
beforeEach(() => {
  home = createTemporaryHome()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await removeTemporaryHome(home)
})

const root = join(import.meta.dirname, '..', '..', '..')
const rows = Object.entries(programPackages).map(([machine, packages]) => {
  const [platform = '', arch = ''] = machine.split('-')
  return { machine: { platform, arch }, ...packages }
})
const main = () => pathToFileURL(join(home, 'main.js')).href

/** Writes a program that ends with `code`. */
function write(path: string, code = 0): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\nexit ${code}\n`)
  chmodSync(path, 0o755)
  return path
}

function install(name: string, code = 0): string {
  const folder = join(home, 'node_modules', name)
  write(join(folder, 'bin', 'anvil'), code)
  writeFileSync(join(folder, 'package.json'), '{}')
  return folder
}

test.each(rows)('on $machine.platform $machine.arch the packages of that machine are found', (row) => {
  for (const { anvil, postgres } of rows) for (const name of [anvil, postgres]) install(name)
  const anvil = join(home, 'node_modules', row.anvil)
  expect(findPackage('anvil', row.machine, main())).toBe(anvil)
  expect(findPackage('postgres', row.machine, main())).toBe(join(home, 'node_modules', row.postgres))
  expect(findAnvil(undefined, row.machine, main())).toBe(join(anvil, 'bin', 'anvil'))
})

test.each(rows)('npm installs them on $machine.platform $machine.arch, and on no other', (row) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const name of [row.anvil, row.postgres])
    expect(packages[`node_modules/${name}`], name).toMatchObject({
      os: [row.machine.platform],
      cpu: [row.machine.arch],
      optional: true,
    })
})

test('ANVIL goes before the package, and the package before the PATH', () => {
  const linux = { platform: 'linux', arch: 'x64' }
  const own = write(join(home, 'own'))
  vi.stubEnv('PATH', dirname(write(join(home, 'path', 'anvil'))))
  expect(findAnvil(undefined, linux, main())).toBe('anvil')
  const folder = install('@foundry-rs/anvil-linux-amd64')
  expect(findAnvil(undefined, linux, main())).toBe(join(folder, 'bin', 'anvil'))
  expect(findAnvil(own, linux, main())).toBe(own)
})

test('a package that does not run on the machine gives way to the PATH', () => {
  const folder = install('@foundry-rs/anvil-linux-arm64', 1)
  const find = () => findAnvil(undefined, { platform: 'linux', arch: 'arm64' }, main())
  vi.stubEnv('PATH', join(home, 'path'))
  expect(find).toThrow(
    `That of npm (${folder}) does not run on this machine: get it from https://getfoundry.sh, or set ANVIL`,
  )
  vi.stubEnv('PATH', dirname(write(join(home, 'path', 'anvil'))))
  expect(find()).toBe('anvil')
})

test.each([
  ['linux', 'riscv64', 'npm has none for this machine: get it from https://getfoundry.sh, or set ANVIL'],
  ['freebsd', 'x64', 'npm has none for this machine: get it from https://getfoundry.sh, or set ANVIL'],
  ['win32', 'x64', 'run the same commands in WSL 2'],
  ['win32', 'arm64', 'run the same commands in WSL 2'],
])('%s %s: one line says what to do', (platform, arch, advice) => {
  vi.stubEnv('PATH', join(home, 'nothing'))
  const find = () => findAnvil(undefined, { platform, arch }, main())
  expect(find).toThrow(advice)
  expect(find).not.toThrow('\n')
})
