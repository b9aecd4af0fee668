import type { Operations } from './operation.ts'
import { accountOperations } from './operations/accounts.ts'
import { affiliateOperations } from './operations/affiliates.ts'
import { appDataOperations } from './operations/app-data.ts'
import { cancellationOperations } from './operations/cancellations.ts'
import { competitionOperations } from './operations/competitions.ts'
import { debugReportOperations } from './operations/debug-reports.ts'
import { marketOperations } from './operations/market.ts'
import { networkOperations } from './operations/networks.ts'
import { orderOperations } from './operations/orders.ts'
import { quoteOperations } from './operations/quotes.ts'
import { statisticsOperations } from './operations/statistics.ts'
import { tokenDataOperations } from './operations/token-data.ts'
import { tradeOperations } from './operations/trades.ts'

/** One for each row, in both families. */
export const operations: Operations = {
  ...quoteOperations,
  ...orderOperations,
  ...cancellationOperations,
  ...debugReportOperations,
  ...tradeOperations,
  ...appDataOperations,
  ...competitionOperations,
  ...marketOperations,
  ...networkOperations,
  ...accountOperations,
  ...tokenDataOperations,
  ...affiliateOperations,
  ...statisticsOperations,
}
