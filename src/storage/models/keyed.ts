import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { bytea } from '../database/columns.ts'
import { notStored } from '../query/selection.ts'
import type { Keyed } from '../query/statement.ts'
import { account } from './account.ts'
import { affiliate } from './affiliate.ts'
import { appData } from './app-data.ts'
import { auction, currentAuction, isShown } from './auction/auction.ts'
import { settlement } from './auction/settlement.ts'
import { solution } from './auction/solution.ts'
import { notification } from './notification/notification.ts'
import { order } from './order/order.ts'
import { type ProgrammaticOrderKey, programmaticOrder } from './programmatic.ts'
import { tokenOf } from './token.ts'
import { trade } from './trade.ts'

export const orderByUid: Keyed<OrderUid> = {
  model: order,
  columns: { uid: 'bytea' },
  values: (uid) => [bytea(uid)],
  join: 'orders o ON o.uid = k.uid',
  exists: 'o.id IS NOT NULL',
}

export const appDataByHash: Keyed<Bytes32> = {
  model: appData,
  columns: { hash: 'bytea' },
  values: (hash) => [bytea(hash)],
  join: 'app_data d ON d.hash = k.hash',
  exists: 'd.hash IS NOT NULL',
}

export const accountByAddress: Keyed<Address> = {
  model: account,
  columns: { address: 'bytea' },
  values: (address) => [bytea(address)],
  alias: 'ac',
  exists: 'true',
}

export const auctionById: Keyed<bigint> = {
  model: auction,
  columns: { id: 'int8' },
  values: (id) => [id],
  join: 'auctions a ON a.id = k.id',
  exists: `a.id IS NOT NULL AND ${isShown}`,
}

/** Current auction of a chain id. */
export const currentAuctionByChain: Keyed<number> = {
  model: currentAuction,
  columns: { chain_id: 'int4' },
  values: (chainId) => [chainId],
  join: 'current_auctions ca ON ca.chain_id = k.chain_id',
  exists: 'ca.chain_id IS NOT NULL',
}

interface SolutionKey {
  auctionId: bigint
  uid: number
}

export const solutionByKey: Keyed<SolutionKey> = {
  model: solution,
  columns: { auction_id: 'int8', uid: 'int4' },
  values: ({ auctionId, uid }) => [auctionId, uid],
  join: '(solutions s JOIN auctions a ON a.id = s.auction_id) ON s.auction_id = k.auction_id AND s.uid = k.uid',
  exists: `s.uid IS NOT NULL AND ${isShown}`,
}

export const notificationById: Keyed<bigint> = {
  model: notification,
  columns: { id: 'int8' },
  values: (id) => [id],
  join: 'notifications n ON n.id = k.id',
  exists: 'n.id IS NOT NULL',
}

export interface TokenKey {
  chainId: number
  address: Address
}

/** Any address counts as a token, with or without a contract. */
export const tokenByAddress: Keyed<TokenKey> = {
  model: tokenOf('tok.chain_id', 'tok.address'),
  columns: { chain_id: 'int4', address: 'bytea' },
  values: ({ chainId, address }) => [chainId, bytea(address)],
  alias: 'tok',
  exists: 'true',
}

/** Only stored tokens; for others resolvers must check that the contract exists. */
export const storedToken: Keyed<TokenKey> = {
  ...tokenByAddress,
  exists: 'EXISTS (SELECT FROM tokens kt WHERE kt.chain_id = tok.chain_id AND kt.address = tok.address)',
  missing: notStored,
}

interface TradeKey {
  chainId: number
  blockNumber: number
  logIndex: number
}

export const tradeByLogPosition: Keyed<TradeKey> = {
  model: trade,
  columns: { chain_id: 'int4', block_number: 'int8', log_index: 'int4' },
  values: ({ chainId, blockNumber, logIndex }) => [chainId, blockNumber, logIndex],
  join: 'trades tr ON tr.chain_id = k.chain_id AND tr.block_number = k.block_number AND tr.log_index = k.log_index',
  exists: 'tr.chain_id IS NOT NULL',
}

export const settlementByLogPosition: Keyed<TradeKey> = {
  ...tradeByLogPosition,
  model: settlement,
  join: `settlements st ON st.chain_id = k.chain_id AND st.block_number = k.block_number AND st.log_index = k.log_index`,
  exists: 'st.chain_id IS NOT NULL',
}

export const affiliateByWallet: Keyed<Address> = {
  model: affiliate,
  columns: { wallet: 'bytea' },
  values: (wallet) => [bytea(wallet)],
  join: 'affiliates af ON af.wallet = k.wallet',
  exists: 'af.wallet IS NOT NULL',
}

export const programmaticOrderByKey: Keyed<ProgrammaticOrderKey> = {
  model: programmaticOrder,
  columns: { chain_id: 'int4', owner: 'bytea', hash: 'bytea' },
  values: ({ chainId, owner, hash }) => [chainId, bytea(owner), bytea(hash)],
  join: 'programmatic_orders g ON g.chain_id = k.chain_id AND g.owner = k.owner AND g.hash = k.hash',
  exists: 'g.id IS NOT NULL',
}
