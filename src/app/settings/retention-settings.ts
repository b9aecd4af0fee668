import { z } from 'zod'
import type { RetentionDays } from '../../storage/retention/sweep.ts'

const days = (min: number) => z.coerce.number().min(min).max(36_500)

/**
 * Ages of rows in days, also fractions. Orders, trades, executions and notifications have none: they are kept
 * for good.
 */
export const retentionSettings = {
  RETENTION_EVENTS_DAYS: days(0)
    .default(30)
    .describe(
      'Age at which events of orders, and standings of expired orders, are removed, in days; 0 keeps them. The newest two events of each order stay.',
    ),
  RETENTION_COMPETITIONS_DAYS: days(0)
    .default(90)
    .describe(
      'Age at which auctions without a settlement are removed, with solutions, attempts and prices, in days; 0 keeps them.',
    ),
  RETENTION_MARKET_PRICES_DAYS: days(0)
    .default(30)
    .describe('Age at which the market prices of live orders are removed, in days; 0 keeps them.'),
  RETENTION_FEED_DAYS: days(0)
    .default(90)
    .describe(
      'Age at which entries of feeds are removed, in days; 0 keeps them. Older cursors are refused with FeedGap.',
    ),
  RETENTION_QUOTES_DAYS: days(0.01)
    .default(0.25)
    .describe('Age after expiry at which quotes are removed, in days.'),
  RETENTION_IDEMPOTENCY_KEYS_DAYS: days(0.01)
    .default(1)
    .describe('Age at which the answer to a request with an Idempotency-Key is removed, in days.'),
  RETENTION_DOCUMENTS_DAYS: days(0.01)
    .default(90)
    .describe('Age at which an uploaded appData document that no order names is removed, in days.'),
  RETENTION_DELIVERIES_DAYS: days(1)
    .default(30)
    .describe('Age at which ended channels, and ended deliveries to channels, are removed, in days.'),
}

type RetentionSettings = Record<keyof typeof retentionSettings, number>

export function retentionDays(settings: RetentionSettings): RetentionDays {
  return {
    events: settings.RETENTION_EVENTS_DAYS,
    competitions: settings.RETENTION_COMPETITIONS_DAYS,
    marketPrices: settings.RETENTION_MARKET_PRICES_DAYS,
    feed: settings.RETENTION_FEED_DAYS,
    quotes: settings.RETENTION_QUOTES_DAYS,
    idempotencyKeys: settings.RETENTION_IDEMPOTENCY_KEYS_DAYS,
    deliveries: settings.RETENTION_DELIVERIES_DAYS,
  }
}
