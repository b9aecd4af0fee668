/** Finding of `tradegraph doctor` about one subject. */
export interface Check {
  about: string
  /** `bad`: it does not work. `poor`: it works, but incompletely. */
  state: 'good' | 'poor' | 'bad'
  says: string
  /** Advice, unless it is good. */
  advice?: string
}

export const passed = (about: string, says: string): Check => ({ about, state: 'good', says })
export const warned = (about: string, says: string, advice: string): Check => ({
  about,
  state: 'poor',
  says,
  advice,
})
export const failed = (about: string, says: string, advice: string): Check => ({
  about,
  state: 'bad',
  says,
  advice,
})

/** Text of a connection fault without the address, which can hold a password. */
export function faultText(fault: unknown): string {
  const { code, message } = fault as { code?: string; message?: string }
  const text = message || code || String(fault)
  return text.replace(/\b\w+:\/\/\S+/g, '…').split('\n')[0] ?? ''
}
