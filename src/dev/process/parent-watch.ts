import { findProcess } from './process.ts'

const pollMs = 500

interface ParentWatch {
  /** Never resolves if the watch is stopped first. */
  ended: Promise<void>
  stop(): void
}

/** Watches for the end of the parent: after a kill -9 of npm its script would keep the port. */
export function watchParent(): ParentWatch {
  const initial = lineage()
  let timer: NodeJS.Timeout | undefined
  const ended = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (lineage() === initial) return
      clearInterval(timer)
      resolve()
    }, pollMs).unref()
  })
  return { ended, stop: () => clearInterval(timer) }
}

/** Ids of the parent and, if that is the `sh -c` in which npm runs scripts, of npm above it. */
function lineage(): string {
  const parent = findProcess(process.ppid)
  const isShell = /^(\S*\/)?(ba|da|z|k)?sh -c /.test(parent?.command ?? '')
  return isShell ? `${process.ppid} ${parent?.parent}` : `${process.ppid}`
}
