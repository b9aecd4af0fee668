import { z } from 'zod'
import {
  competition as competitionBody,
  competitionV1 as competitionV1Body,
} from '../../../storage/bodies/competition.ts'
import { currentAuctionBody } from '../../../storage/bodies/current-auction.ts'
import { debugReportBody } from '../../../storage/bodies/debug-report.ts'
import { notificationBody } from '../../../storage/bodies/notification.ts'
import { fullOrder } from '../../../storage/bodies/order.ts'
import { orderProgressBody } from '../../../storage/bodies/order-progress.ts'
import { listedTrade } from '../../../storage/bodies/trade.ts'
import { announcement } from '../../account/merged.ts'
import { bodySchema } from '../body-schema.ts'

/** Bodies that the database writes. Orders in lists lack optional members of single orders. */
export const order = bodySchema(fullOrder)
export const orders = z.array(order)
export const wrappedOrders = z.array(z.object({ order }))
export const orderProgress = bodySchema(orderProgressBody)
export const debugReport = bodySchema(debugReportBody)
export const trades = z.array(bodySchema(listedTrade))
export const competition = bodySchema(competitionBody)
export const competitionV1 = bodySchema(competitionV1Body)
export const currentAuction = bodySchema(currentAuctionBody)
export const notification = bodySchema(notificationBody)
export const notifications = z.array(z.union([notification, announcement]))
