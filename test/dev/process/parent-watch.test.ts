import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { eventually } from '../../setup/eventually.ts'

const program = `
  import { watchParent } from ${JSON.stringify(new URL('../../../src/dev/process/parent-watch.ts', import.meta.url))}
  watchParent().ended.then(() => { console.log('orphaned'); process.exit() })
  console.log('watching')
  setInterval(() => {}, 1000)
`
const arguments_ = ['--import', 'tsx', '--input-type=module', '-e', program]

/** Simulates npm: starts the program as npm does, and can be killed without forwarding the signal. */
const launcher = (shell: boolean) => `
  const child = require('node:child_process').spawn
  const argv = ${JSON.stringify([process.execPath, ...arguments_])}
  const quoted = argv.map((word) => "'" + word.replaceAll("'", "'\\\\''") + "'").join(' ')
  ${shell ? "child('sh', ['-c', quoted + '; true'], { stdio: 'inherit' })" : "child(argv[0], argv.slice(1), { stdio: 'inherit' })"}
`

it.each([
  ['directly', false],
  ['through a shell that keeps running', true],
])('notices when its parent, which started it %s, was killed', async (_how, shell) => {
  const parent = spawn(process.execPath, ['-e', launcher(shell)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  parent.stdout.on('data', (chunk) => {
    output += chunk
  })
  const closed = once(parent.stdout, 'close')
  await eventually('the program watches', () => output.includes('watching'))
  parent.kill('SIGKILL')
  // The pipe closes once the program has ended too.
  await closed
  expect(output).toBe('watching\norphaned\n')
})
