import { findProcess } from './process.ts'

const pollMs = 500

/**
 * Calls back once when the program that launched this one is gone. npm killed with -9 leaves its script running, which
 * would hold the port.
 */
export function watchParent(onOrphaned: () => void): { stop(): void } {
  const first = lineage()
  const timer = setInterval(() => {
    if (lineage() === first) return
    clearInterval(timer)
    onOrphaned()
  }, pollMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** npm runs scripts through `sh -c`. Where that shell stays in between, it is npm above it that counts. */
function lineage(): string {
  const parent = findProcess(process.ppid)
  const isShell = /^(\S*\/)?(ba|da|z|k)?sh -c /.test(parent?.command ?? '')
  return isShell ? `${process.ppid} ${parent?.parent}` : `${process.ppid}`
}
