import { findProcess } from './process.ts'

const pollMs = 500

/** Calls back once when the parent has ended. After a kill -9 of npm its script would keep running, and hold the port. */
export function watchParent(onOrphaned: () => void): { stop(): void } {
  const initial = lineage()
  const timer = setInterval(() => {
    if (lineage() === initial) return
    clearInterval(timer)
    onOrphaned()
  }, pollMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** Ids of the parent and, if that is the `sh -c` in which npm runs scripts, of npm above it. */
function lineage(): string {
  const parent = findProcess(process.ppid)
  const isShell = /^(\S*\/)?(ba|da|z|k)?sh -c /.test(parent?.command ?? '')
  return isShell ? `${process.ppid} ${parent?.parent}` : `${process.ppid}`
}
