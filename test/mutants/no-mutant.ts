import fc from 'fast-check'

/** Before a file of tests loads: that of the run before is still active in a worker that stays. */
Object.assign(Reflect.get(globalThis, '__stryker__') ?? {}, { activeMutant: undefined })
/** That a property fails is enough: to find its smallest example takes longer than a mutant has. */
fc.configureGlobal({ endOnFailure: true })
