/** The driver names no database: "timeout expired". @throws */
export function failToConnect(fault: Error & { code?: string }, what = 'the database'): never {
  throw new Error(`${what} does not answer: ${fault.message || fault.code}`, { cause: fault })
}
