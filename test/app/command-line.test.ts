import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue, entries } from '../../src/app/commands/catalogue.ts'
import { completions } from '../../src/app/commands/completion.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createTestDatabase } from '../setup/database.ts'
import { program, runHere } from '../setup/program.ts'

const root = path.join(import.meta.dirname, '..', '..')

test('output that cannot be written is a fault, and a closed pipe is none', async () => {
  const command = `'${process.execPath}' '${program()}' vapid-keys`
  const script = `${command} > /dev/full; echo $?; ${command} | true; echo \${PIPESTATUS[0]}`
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script])
  expect(stdout).toBe('1\n0\n')
  expect(stderr).toBe('tradegraph: the output cannot be written (ENOSPC)\n')
})

describe('help', () => {
  test('has every command on one screen', async () => {
    const answers = await Promise.all([runHere(['help']), runHere(['--help']), runHere([])])
    const [{ stdout }] = answers
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 2])
    expect(answers.map(({ stdout, stderr }) => stdout + stderr)).toEqual([stdout, stdout, stdout])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(41)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
    for (const [name, { summary }] of entries)
      expect(
        lines.find((line) => line.startsWith(`  ${name} `) && line.endsWith(`  ${summary}`)),
        name,
      ).toBeDefined()
  })

  test('of a command has its flags, and apart from them its settings and exit codes', async () => {
    const [watch, dashed, revoke] = await Promise.all([
      runHere(['help', 'watch']),
      runHere(['watch', '--help']),
      runHere(['help', 'allowances', 'revoke']),
    ])
    expect(dashed).toEqual(watch)
    expect(watch.code).toBe(0)
    const [flags, settings, codes] = watch.stdout.split(/^(?:Settings, from the environment|Exit codes):$/m)
    for (const flag of Object.keys(catalogue.watch.flags))
      expect(flags).toMatch(new RegExp(`^  --${flag} `, 'm'))
    expect(settings).toMatch(/^ {2}TRADEGRAPH_URL /m)
    expect(settings).not.toContain('DATABASE_URL')
    expect(codes).toMatch(/^ {2}0 {2}the order has ended, or Ctrl-C$/m)
    expect(revoke.stdout).toContain('SOLVER_PRIVATE_KEY')
  })

  test('has colours where they are wanted', async () => {
    const [plain, coloured, never] = await Promise.all([
      runHere(['help']),
      runHere(['help'], { FORCE_COLOR: '1' }),
      runHere(['help'], { FORCE_COLOR: '1', NO_COLOR: '1' }),
    ])
    expect(coloured.stdout).not.toBe(plain.stdout)
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout)
    expect(never.stdout).toBe(plain.stdout)
  })

  test('lists all settings', async () => {
    const { code, stdout } = await runHere(['help', 'settings'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}PORT +Port to listen on/m)
  })
})

test('prints the version', async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const all = await Promise.all([runHere(['-v']), runHere(['--version'])])
  for (const each of all) expect(each).toEqual({ code: 0, stdout: `tradegraph@${version}\n`, stderr: '' })
})

test.each([
  [['wach'], "unknown command 'wach'", '(Did you mean watch?)'],
  [['help', 'wach'], "unknown command 'wach'", '(Did you mean watch?)'],
  [['allowances', 'lst'], "unknown command 'lst'", '(Did you mean list?)'],
  [
    ['auction', 'exprot'],
    "unknown command 'auction exprot': auction has export",
    '`tradegraph help auction`',
  ],
  [['serve', '--prot', '1'], "unknown option '--prot'", '(Did you mean --port?)'],
  [['watch'], "missing required argument 'uid|account'", '`tradegraph help watch`'],
  [['vapid-keys', 'now'], "vapid-keys takes no 'now'", '`tradegraph help vapid-keys`'],
])('%j is refused in few lines', async (args, fault, advice) => {
  const { code, stdout, stderr } = await runHere(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.startsWith(`tradegraph: ${fault}`), stderr).toBe(true)
  expect(stderr).toContain(advice)
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
})

test('migrations show a bar on a terminal, and nowhere else', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await sql(db).$executeRaw`DROP SCHEMA public CASCADE`
  await sql(db).$executeRaw`CREATE SCHEMA public`
  const command = `'${process.execPath}' '${program()}' migrate`
  const environment = { PATH: process.env.PATH, DATABASE_URL: database.url, TERM: 'xterm' }
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], { env: environment })
  expect(stdout).toMatch(/\[-+\] 0 %, 0 of \d+ migrations/)
  expect(stdout).toMatch(/\[#+-+\] \d+ %, \d+ of \d+ migrations/)
  const again = await runHere(['migrate'], { DATABASE_URL: database.url })
  expect(again).toEqual({ code: 0, stdout: '-- nothing is pending\n', stderr: '' })
})

describe('completion', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-completion-'))
    for (const [shell, write] of Object.entries(completions)) writeFileSync(path.join(folder, shell), write())
    writeFileSync(path.join(folder, 'order.json'), '{}')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** The words that a shell offers at the end of a line, in this order. */
  const offers: Record<string, (line: string) => string> = {
    bash: (line) => `source ./bash
      COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tradegraph 2>/dev/null
      printf '%s\\n' "\${COMPREPLY[@]}"`,
    fish: (line) => `source ./fish; complete -C '${line}'`,
    // A terminal of its own, since completion in zsh needs its editor; what would be shown is printed.
    zsh: (line) => `zmodload zsh/zpty; zpty shell zsh -f -i
      zpty -w shell "PROMPT=; autoload -U compinit; compinit -u -D; source ./zsh"
      zpty -w shell 'compadd() { if [[ " $* " == *" -"[OAD]" "* ]]; then builtin compadd "$@"; return; fi
        local -a found; builtin compadd -A found "$@"; print -rl -- "" $found; }'
      zpty -w shell 'comppostfuncs=(exit); print REA""DY'
      zpty -r -m shell seen '*READY*'
      zpty -w -n shell '${line}'$'\t'
      while zpty -r shell seen; do print -rn -- $seen; done`,
  }

  const offered = (shell: string, line: string): string =>
    execFileSync(shell, ['-c', offers[shell]?.(line) ?? ''], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm' },
    })

  test.each(Object.keys(completions))('%s offers commands, flags, shells and files', (shell) => {
    expect(offered(shell, 'tradegraph wa')).toContain('watch')
    expect(offered(shell, 'tradegraph wa')).not.toContain('serve')
    expect(offered(shell, 'tradegraph allowances ')).toMatch(/list[\s\S]*revoke/)
    expect(offered(shell, 'tradegraph watch --home x --a')).toContain('--after')
    expect(offered(shell, 'tradegraph watch --home x --a')).not.toContain('--all')
    expect(offered(shell, 'tradegraph completion ')).toMatch(
      /bash[\s\S]*fish[\s\S]*zsh|bash[\s\S]*zsh[\s\S]*fish/,
    )
  })
})
