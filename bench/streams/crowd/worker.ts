import { constants, setPriority } from 'node:os'
import { answerParent } from '../apart.ts'
import { type Crowd, type CrowdOptions, createCrowd, type Standing } from './crowd.ts'

/** Readers in a separate process. */
let crowd: Crowd | undefined

function current(): Crowd {
  if (!crowd) throw new Error('there are no readers')
  return crowd
}

const handlers = {
  gather(options: CrowdOptions): void {
    crowd?.close()
    crowd = createCrowd(options)
  },
  open: (): Promise<number> => current().open(),
  close: (): void => crowd?.close(),
  stall: (): void => current().stall(),
  unstall: (): void => current().unstall(),
  missing: (last: number): number => current().missing(last),
  standing: (): Standing => current().standing(),
  since: (first: number, times: Float64Array): Float64Array => current().since(first, times),
  forget: (): void => current().forget(),
  giveWay: (): void => setPriority(constants.priority.PRIORITY_LOW),
}

export type CrowdHandlers = typeof handlers

answerParent(handlers)
