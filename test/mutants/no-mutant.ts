/** Before a file of tests loads: that of the run before is still active in a worker that stays. */
Object.assign(Reflect.get(globalThis, '__stryker__') ?? {}, { activeMutant: undefined })
