import { queryService } from '../ask.ts'
import type { NetworkNamesResult } from '../documents.generated.ts'
import { documents } from './documents.ts'
import { choiceOf } from './list.tsx'
import { usePolled } from './polled.ts'

type NetworkNames = NetworkNamesResult['networks']

const readNetworks = async () => (await queryService(documents.networkNames, {})).networks

/** The networks of the service; empty until they are read. */
export const useNetworks = (): NetworkNames => usePolled(readNetworks).value ?? []

/** The chosen network; without one the first. */
export const readNetwork = async (): Promise<string> =>
  choiceOf('network') ?? (await readNetworks())[0]?.name ?? ''
