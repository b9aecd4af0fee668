import type { Network } from '../../domain/network/network.ts'
import type { Services } from '../../graphql/context/context.ts'
import type { Ambient } from '../../storage/query/selected.ts'
import type { ActionRoute } from './action-route.ts'
import type { EventRoute } from './event-route.ts'
import type { RestRequest, Route, RowTraits } from './route.ts'

/** The context of reading a stored row. */
export interface StoredReading extends Pick<Services, 'db' | 'maxOrderUids' | 'announcements'> {
  ambient: Ambient
  /** On routes of the order book. */
  network: Network
  reportAuctions: number
}

/** A path whose body the database writes. It has no document. */
export interface StoredRoute extends RowTraits {
  /** Most items that the body may list, for the estimated cost; 1 if left out. */
  items?(request: RestRequest<string>): number
  /** Reads the body; null for a 404. @throws Refusal for invalid input */
  read(request: RestRequest<string>, reading: StoredReading): Promise<StoredAnswer | null>
}

export type AnyRoute = Route | StoredRoute | EventRoute | ActionRoute

export interface StoredAnswer {
  body: string | Buffer
  headers?: Record<string, string>
}
