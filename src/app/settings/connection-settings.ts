import { z } from 'zod'
import { integer } from './setting-readers.ts'

/** How a process starts and stops where others run beside it, and what clients' connections may take. */
export const connectionSettings = {
  MIGRATE_AT_START: z
    .stringbool()
    .default(true)
    .describe(
      'Change the database to what this version needs; with false `tradegraph migrate` does, and a start without it fails.',
    ),
  SHUTDOWN_DELAY_SECONDS: integer(0, 600)
    .default(5)
    .describe(
      'Time for which a stopping process continues to serve while /health/ready is 503, so that balancers notice; 0 in `dev`.',
    ),
  SHUTDOWN_TIMEOUT_SECONDS: integer(1, 600)
    .default(10)
    .describe('How long it waits after that for requests under way, at most.'),
}

type Settings = z.infer<z.ZodObject<typeof connectionSettings>>

/** Only a process that serves has a balancer before it. */
export const shutdownDelayMs = ({ SHUTDOWN_DELAY_SECONDS }: Settings, serves: boolean): number =>
  serves ? SHUTDOWN_DELAY_SECONDS * 1_000 : 0
