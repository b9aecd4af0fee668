import { queryService } from '../ask.ts'
import type { NetworkNamesResult } from '../documents.generated.ts'
import { documents } from './documents.ts'
import { usePolled } from './polled.ts'

export type NetworkNames = NetworkNamesResult['networks']

const readNetworks = async () => (await queryService(documents.networkNames, {})).networks

/** The networks of the service; empty until they are read. */
export const useNetworks = (): NetworkNames => usePolled(readNetworks).value ?? []
