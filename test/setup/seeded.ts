import fc from 'fast-check'
import { inject } from 'vitest'
import { createRandom } from './random.ts'

// Runs before each file of tests. One seed decides all random choices of a run, also those of the program by
// `Math.random`.

const seed = inject('seed')
// A property that would shrink without end fails with the smallest example so far, before its test is ended.
fc.configureGlobal({ seed, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true })
Math.random = createRandom(seed).next
