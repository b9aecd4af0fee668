/** What `tradegraph doctor` found out about one thing. */
export interface Check {
  about: string
  /** `bad`: it does not work so. `poor`: it works, and something is missing. */
  state: 'good' | 'poor' | 'bad'
  says: string
  /** What to do, unless it is good. */
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

/** Of a fault of a connection: its words, without the address, which can hold a password. */
export function faultText(fault: unknown): string {
  const { code, message } = fault as { code?: string; message?: string }
  const text = message || code || String(fault)
  return text.replace(/\b\w+:\/\/\S+/g, '…').split('\n')[0] ?? ''
}
