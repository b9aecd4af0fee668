import type { Network } from '../../domain/network/network.ts'
import type { Services } from '../../graphql/context/context.ts'
import type { RestRequest, Route, RowTraits } from './route.ts'

/** What a stored row is read with. */
export interface StoredReading extends Pick<Services, 'db' | 'hidesCompetitions' | 'maxOrderUids'> {
  /** Unix seconds. */
  now: number
  /** On routes of the order book. */
  network: Network
  reportAuctions: number
}

/** A path whose body the database writes: no document is run for it. */
export interface StoredRoute extends RowTraits {
  /** How many the body may list, where it lists any: what is reserved until its size is known. */
  items?(request: RestRequest<string>): number
  /** The body; null for what is not there. @throws Refusal for input that is no good */
  read(request: RestRequest<string>, reading: StoredReading): Promise<StoredAnswer | null>
}

export type AnyRoute = Route | StoredRoute

export interface StoredAnswer {
  body: string
  headers?: Record<string, string>
}
