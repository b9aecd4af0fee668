import { test } from 'vitest'
import { createTestDatabase } from '../world.ts'
import { sampleOrder } from '../fakes/order.ts'
import { insertOrder, findOrder, findOrdersById, findOrders, cancelOrders, takeExpired, liveOrders, pageOrders } from '../../src/storage/orders.ts'
import { lockOrders } from '../../src/storage/order-progress.ts'
import { insertChainFacts } from '../../src/storage/chain-log.ts'
import { appendEvents, eventsOfOrders } from '../../src/storage/events.ts'
import { Client } from 'pg'
async function tryit(name: string, f: () => Promise<unknown>) { const t=performance.now(); try { const r = await f(); console.log(name, 'ok', (performance.now()-t).toFixed(0)+'ms', typeof r==='object'?JSON.stringify(r,(k,v)=>typeof v==='bigint'?String(v):v)?.slice(0,200):r) } catch (e) { console.log(name, 'FAILED', String(e).slice(0,600)) } }
test('scratch', async () => {
  await using d = await createTestDatabase()
  const c = new Client({connectionString: d.url}); await c.connect()
  console.log((await c.query('select version(), current_setting(\'max_connections\') mc, current_setting(\'TimeZone\') tz')).rows)
  const order = sampleOrder({ validTo: 4294967295, effectiveValidTo: 4294967295, creationDate: new Date('2026-01-02T03:04:05.678Z') })
  await tryit('insert', () => d.db.transaction(tx => insertOrder(tx, order)))
  await tryit('find', async () => (await findOrder(d.db, order.uid))?.creationDate)
  await tryit('byid []', () => findOrdersById(d.db, []))
  await tryit('find []', () => findOrders(d.db, []))
  await tryit('cancel []', () => d.db.transaction(tx => cancelOrders(tx, [], new Date())))
  await tryit('takeExpired >2^31', () => d.db.transaction(tx => takeExpired(tx, order.chainId, 4294967295, 5)))
  await tryit('live >2^31', async () => (await liveOrders(d.db, order.chainId, 4294967294, 5)).length)
  await tryit('page >2^31', async () => (await pageOrders(d.db, {status:'open'}, {first:3, after:null, now: 4294967294})).length)
  const uids = Array.from({length: 20000}, (_, i) => ('0x'+i.toString(16).padStart(112,'0')) as `0x${string}`)
  await tryit('lock 20000', () => d.db.transaction(tx => lockOrders(tx, uids)))
  const trade = (i:number) => ({ chainId: 1, blockNumber: 1, logIndex: i, orderUid: order.uid, owner: order.owner, sellToken: order.sellToken, buyToken: order.buyToken, sellAmount: 1n, buyAmount:1n, feeAmount:0n, txHash: ('0x'+'00'.repeat(32)) as `0x${string}`, auctionId: null, orderId: null })
  await tryit('facts 8000 trades', () => d.db.transaction(tx => insertChainFacts(tx, 1, { trades: Array.from({length:8000},(_, i)=>trade(i)), settlements:[], invalidations:[], presignatures:[], executions:[]})))
  const name = new URL(d.url).pathname.slice(1)
  await c.query(`alter database ${name} set timezone = 'America/New_York'`)
  const { openDatabase } = await import('../../src/storage/database.ts')
  const db2 = openDatabase({url: d.url, maxConnections: 2})
  const o2 = sampleOrder({ validTo: 4294967294, creationDate: new Date('2026-01-02T03:04:05.678Z') })
  await tryit('insert ny', () => db2.transaction(tx => insertOrder(tx, o2)))
  await tryit('find ny', async () => (await findOrder(db2, o2.uid))?.creationDate)
  await tryit('events ny', async () => { const o = await findOrder(db2, o2.uid); if (!o) return; await db2.transaction(tx => appendEvents(tx, [{orderId:o.id,label:'created',reason:null,timestamp:o2.creationDate}])); return eventsOfOrders(db2,[o.id]) })
  await db2.close(); await c.end()
})
