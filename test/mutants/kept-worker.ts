import { type PoolRunnerInitializer, ThreadsPoolWorker } from 'vitest/node'

/** For how long a test may wait. */
export const hangMs = 20_000

type Listener = (message: { type: string; __vitest_worker_response__: true }) => void
/** Vitest’s own messages, and calls from one side to the other, which have the name `m`. */
type Message = { type?: string; context?: object; m?: string }

/**
 * A thread that stays from one run of tests to the next, with its modules: to load them takes longer than
 * most tests do. A mutant is chosen when a test starts, so that the modules are the same for all.
 */
class KeptWorker extends ThreadsPoolWorker {
  override readonly name = 'kept'
  readonly #listeners = new Map<string, Set<Listener>>()
  #hasStarted = false
  #began = 0
  #config: unknown

  override on(event: string, listener: Listener): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener))
    super.on(event, listener)
  }

  override send(message: Message): void {
    // The first failure ends a run in the thread itself. When this comes, the next run may have begun, and
    // would end too.
    if (message.m === 'onCancel') return
    if (message.type === 'start') this.#config = Reflect.get(message.context ?? {}, 'config')
    if (message.type === 'run') this.#began = performance.now()
    // A thread gets its configuration, with the names of the tests to run, when it starts.
    if (message.type === 'run') Object.assign(message.context ?? {}, { config: this.#config })
    const isAgain = message.type === 'start' && this.#hasStarted
    if (message.type === 'start') this.#hasStarted = true
    if (isAgain || message.type === 'stop') this.#answer(isAgain ? 'started' : 'stopped')
    else super.send(message as Parameters<ThreadsPoolWorker['send']>[0])
  }

  override async stop(): Promise<void> {
    for (const [event, listeners] of this.#listeners)
      for (const listener of listeners) super.off(event, listener)
    this.#listeners.clear()
    // A test that was given up goes on, and would with the next mutant.
    if (performance.now() - this.#began < hangMs) return
    worker = undefined
    await super.stop()
  }

  #answer(type: string): void {
    for (const listener of this.#listeners.get('message') ?? [])
      queueMicrotask(() => listener({ type, __vitest_worker_response__: true }))
  }
}

let worker: KeptWorker | undefined

export const keptWorkers: PoolRunnerInitializer = {
  name: 'kept',
  createPoolWorker: (options) => (worker ??= new KeptWorker(options)),
}
