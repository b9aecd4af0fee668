import { isRunning, type ProcessIdentity } from './process.ts'

const pollMs = 1_000

export interface ProcessWatch {
  /** Resolves to the name of the process that ended; never if the watch is stopped first. */
  died: Promise<string>
  stop(): void
}

/** Polls, because processes that were adopted are no children of this program and send it no exit event. */
export function watchProcesses(processes: Record<string, ProcessIdentity>): ProcessWatch {
  const named = Object.entries(processes)
  let timer: NodeJS.Timeout | undefined
  const died = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      const ended = named.find(([, identity]) => !isRunning(identity))
      if (!ended) return
      clearInterval(timer)
      resolve(`${ended[0]} (pid ${ended[1].pid}) ended`)
    }, pollMs).unref()
  })
  return { died, stop: () => clearInterval(timer) }
}
