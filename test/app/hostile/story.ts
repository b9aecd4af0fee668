import { setTimeout as pause } from 'node:timers/promises'
import type { TestChain } from '../../setup/chain.ts'
import { createRandom, type Random } from '../../setup/random.ts'
import type { ActiveCrowd } from './crowd.ts'
import { reorganize } from './nature.ts'
import type { Processes } from './processes.ts'
import type { Placed, Service } from './service.ts'
import { wishOf } from './wishes.ts'

export interface World {
  chain: TestChain
  crowd: ActiveCrowd
  processes: Processes
  service: Service
  /** No reorg takes this block away, nor those before. */
  firstBlock: number
}

interface Plan {
  seed: number
  /** Orders. */
  count: number
  kills: number
  /** Between two orders, at most. */
  pauseMs: number
  /** Of reorgs, in blocks. */
  depths: readonly number[]
}

interface Story {
  orders: Placed[]
  /** Trader, sell token and error of what the service refused. */
  refused: string[]
}

/**
 * Ten traders place their orders in turns, processes are killed and blocks replaced, all at moments that the
 * seed chooses: that they fall anywhere in an auction is the point.
 */
export async function live(world: World, { seed, count, pauseMs, kills, depths }: Plan): Promise<Story> {
  const { chain, crowd, processes } = world
  const plan = createRandom(seed)
  const indexes = Array.from({ length: count }, (_, index) => index)
  const killedAfter = new Set(plan.shuffled(indexes).slice(0, kills))
  const late = plan.shuffled(indexes.slice(count / 5)).slice(0, depths.length)
  // The deepest come last, when there are as many blocks.
  const forks = new Map(late.sort((a, b) => a - b).map((at, index) => [at, depths[index]]))
  const story: Story = { orders: [], refused: [] }
  const others: Promise<unknown>[] = []
  const track = (other: Promise<unknown>) => {
    other.catch(() => undefined)
    others.push(other)
  }
  for (const index of indexes) {
    const random = createRandom(seed * 1_000_003 + index)
    track(placeOne(world, index % 10, random, story))
    await pause(random.below(pauseMs))
    if (killedAfter.has(index)) {
      const role = random.pick(processes.targets())
      await processes.kill(role)
      track(processes.start(role))
    }
    const depth = forks.get(index)
    if (depth) await reorganize(chain, Math.min(depth, (await headOf(chain)) - world.firstBlock), random)
    if (index === Math.floor(count / 2)) await crowd.closeWallet()
  }
  await Promise.all(others)
  return story
}

export const headOf = async ({ rpc }: TestChain) => Number(await rpc.call<string>('eth_blockNumber'))

async function placeOne(world: World, trader: number, random: Random, story: Story): Promise<void> {
  const { crowd, service } = world
  const wish = await wishOf(trader, random, crowd)
  const order = await service.place(wish, Math.floor(Date.now() / 1_000))
  if ('refused' in order) {
    story.refused.push(`${wish.trader} ${wish.sell} ${order.refused}`)
    return
  }
  story.orders.push(order)
  await follow(order, random, world)
}

/** What an owner does about an order that it placed. */
async function follow(order: Placed, random: Random, { crowd, service }: World): Promise<void> {
  const { owner, uid, wish } = order
  if (wish.afterwards === 'presign' || wish.afterwards === 'presign and back') await crowd.presign(owner, uid)
  if (wish.afterwards === undefined || wish.afterwards === 'presign') return
  await pause(random.below(2_500))
  if (wish.afterwards === 'cancel') await service.cancel(order)
  if (wish.afterwards === 'invalidate') await crowd.invalidate(owner, uid)
  if (wish.afterwards === 'presign and back') await crowd.presign(owner, uid, false)
  if (wish.afterwards === 'move away')
    await crowd.move(wish.sell, owner, crowd.aside, (await crowd.balanceOf(wish.sell, owner)) / 2n)
}
