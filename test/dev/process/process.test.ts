import { afterEach, beforeEach, expect, test } from 'vitest'
import { findAnvil, launchAnvil } from '../../../src/dev/chain/anvil.ts'
import { isRunning, probePort } from '../../../src/dev/process/process.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { createTemporaryHome, removeTemporaryHome } from '../../setup/home.ts'

let home: string
beforeEach(() => {
  home = createTemporaryHome()
})
afterEach(() => removeTemporaryHome(home))

test('a process that no longer runs has released its port', async () => {
  for (let round = 0; round < 10; round++) {
    const options = { home, port: 0, genesisTime: 1_700_000_000, log: silentLog, onSpawn: () => {} }
    const chain = await launchAnvil(findAnvil(undefined), options)
    process.kill(chain.pid, 'SIGKILL')
    // Without a pause between two looks: the threads of a killed process end within microseconds of each
    // other.
    while (isRunning(chain));
    expect(await probePort(chain.port)).toBe(chain.port)
  }
})
