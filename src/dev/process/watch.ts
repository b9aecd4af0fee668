import { isRunning, type ProcessMark } from './process.ts'

const pollMs = 1_000

export interface ProcessWatch {
  /** Says which of them ended. Stays open when the watch is stopped first. */
  died: Promise<string>
  stop(): void
}

/** Watches processes whether this program started them or only found them: asking is all that works for both. */
export function watchProcesses(watched: Record<string, ProcessMark>): ProcessWatch {
  const parts = Object.entries(watched)
  let timer: NodeJS.Timeout | undefined
  const died = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      const dead = parts.find(([, mark]) => !isRunning(mark))
      if (!dead) return
      clearInterval(timer)
      resolve(`${dead[0]} (pid ${dead[1].pid}) ended`)
    }, pollMs).unref()
  })
  return { died, stop: () => clearInterval(timer) }
}
