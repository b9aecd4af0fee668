import { z } from 'zod'
import { parseInput } from '../../graphql/errors/input.ts'
import { addressField } from '../../graphql/input/fields.ts'
import { type RestRequest, type Route, route } from '../row/route.ts'
import {
  affiliateStatisticsFields,
  traderActivityFields,
  traderStatisticsFields,
  writeAffiliateStatistics,
  writeTraderActivity,
  writeTraderStatistics,
} from './statistics-result.ts'

const addressPath = z.object({ address: addressField })
const variables = ({ path }: RestRequest) => parseInput(addressPath, path)

/** What affiliates and their traders have done. */
export const statisticsRoutes: Route[] = [
  route({
    on: 'GET /affiliate/affiliate-stats/:address',
    needs: 'statistics',
    run: `query ($address: Address!) { affiliateStatistics(wallet: $address) { ${affiliateStatisticsFields} } }`,
    variables,
    answer: ({ affiliateStatistics }) => affiliateStatistics && writeAffiliateStatistics(affiliateStatistics),
    missing: 'Affiliate stats not found',
  }),
  route({
    on: 'GET /affiliate/trader-stats/:address',
    needs: 'statistics',
    run: `query ($address: Address!) { traderStatistics(account: $address) { ${traderStatisticsFields} } }`,
    variables,
    answer: ({ traderStatistics }) => traderStatistics && writeTraderStatistics(traderStatistics),
    missing: 'Trader stats not found',
  }),
  route({
    on: 'GET /affiliate/trader-activity/:address',
    needs: 'statistics',
    run: `query ($address: Address!) { traderActivity(account: $address, first: 50) { ${traderActivityFields} } }`,
    variables,
    answer: ({ traderActivity }) => writeTraderActivity(traderActivity),
  }),
]
