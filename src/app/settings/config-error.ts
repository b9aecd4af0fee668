/** Settings that a command cannot run with. */
export class ConfigError extends Error {
  readonly faults: string[]

  constructor(faults: string[]) {
    super(`configuration: ${faults.join('; ')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}
