import { z } from 'zod'
import type { NetworkConfig } from '../app/config.ts'
import { createRpc } from '../chain/rpc/rpc.ts'
import { parseHex, parseIndex, parseObject, toQuantity } from '../chain/rpc/wire.ts'
import { type Address, toAddress, zeroAddress } from '../domain/evm/address.ts'
import type { Log } from '../domain/log.ts'
import { chains } from '../domain/network/chains.ts'
import {
  defaultConditionalOrders,
  defaultHooksTrampoline,
  defaultPoolProject,
  defaultPriceAmount,
  ethFlowOf,
  type Profile,
  settlementPairs,
} from '../domain/network/network.ts'
import { withoutSecrets } from '../domain/text/secrets.ts'
import { exchangeJson, exchangeText } from '../outside/http-json.ts'

export interface FollowFlags {
  /** The base URL of an order book of one network, or of a Tradegraph. */
  url: string
  rpcUrl: string
  /** The wrapped coin of a chain that is neither known nor described by the order book. */
  wrappedNative?: string | undefined
}

const timeoutMs = 10_000
const maxBytes = 16_777_216
/** Blocks by which the block time is measured. */
const measuredBlocks = 20

const parsed = z.string().transform((text, context): Address => {
  const address = toAddress(text)
  if (address) return address
  context.addIssue({ code: 'custom', message: 'is no address' })
  return z.NEVER
})

const networksShape = z.object({
  data: z.object({
    networks: z.array(
      z.object({
        name: z.string().regex(/^[a-z0-9_-]{2,30}$/),
        chainId: z.int(),
        settlementContract: parsed,
        vaultRelayer: parsed,
        wrappedNative: z.object({ address: parsed }),
      }),
    ),
  }),
})
type Described = z.infer<typeof networksShape>['data']['networks'][number]

/**
 * Finds out how to follow an order book: the chain is that of the node, its contracts are those that another
 * Tradegraph names, else those of the profile.
 * @throws Error that says what is missing
 */
export async function findOrderBook(flags: FollowFlags, profile: Profile, log: Log): Promise<NetworkConfig> {
  const [url, chain] = [baseOf(flags.url), await readChain(flags.rpcUrl, log)]
  const { chainId, head, hasConditionalOrders, ...times } = chain
  const { base, described } = await findBook(url, chainId)
  const { names: [known] = [], facts, usdReference, conditionalOrdersFrom } = chains.get(chainId) ?? {}
  // A local chain has the id of a known one, and is shorter.
  const isLocal = !facts || facts.firstBlock > head
  const firstBlock = isLocal ? 0 : facts.firstBlock
  const given = flags.wrappedNative === undefined ? undefined : toAddress(flags.wrappedNative)
  const wrappedNative = given ?? described?.wrappedNative.address ?? facts?.wrappedNative
  if (!wrappedNative)
    throw new Error(`chain ${chainId} is not known here: name its wrapped coin with --wrapped-native`)
  const { settlement, vaultRelayer } = described
    ? { settlement: described.settlementContract, vaultRelayer: described.vaultRelayer }
    : settlementPairs[profile]
  return {
    rpcUrl: flags.rpcUrl,
    orderBook: { url: base, callsPerMinute: 100 },
    network: {
      chainId,
      settlement,
      vaultRelayer,
      wrappedNative,
      ...times,
      name: described?.name ?? known ?? `chain-${chainId}`,
      hooksTrampoline: defaultHooksTrampoline,
      ethFlows: [ethFlowOf[profile]],
      poolFactory: zeroAddress,
      poolProject: defaultPoolProject,
      baseTokens: [],
      priceAmount: defaultPriceAmount,
      usdReference: isLocal ? null : (usdReference ?? null),
      holderTokens: [],
      ...(hasConditionalOrders &&
        settlement === settlementPairs.production.settlement && {
          conditionalOrders: {
            ...defaultConditionalOrders,
            firstBlock: firstBlock > 0 ? (conditionalOrdersFrom ?? firstBlock) : 0,
          },
        }),
      firstBlock,
      finalityBlocks: facts?.finalityBlocks ?? 64,
    },
  }
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error('--follow must be an http or https URL')
  return pathOf(url.href, (path) => path)
}

/** A URL with another path, whose query may be a key, without a slash at the end. */
function pathOf(text: string, change: (path: string) => string): string {
  const url = new URL(text)
  url.pathname = change(url.pathname.replace(/(?<!\/)\/+$/, '')) || '/'
  return url.search === '' && url.pathname === '/' ? url.href.replace(/\/$/, '') : url.href
}

async function readChain(url: string, log: Log) {
  const rpc = createRpc({ url, timeoutMs, retries: 0, log })
  try {
    const chainId = parseIndex(await rpc.call('eth_chainId'))
    const block = async (tag: string) => {
      const { number, timestamp } = parseObject(await rpc.call('eth_getBlockByNumber', [tag, false]))
      return { number: parseIndex(number), seconds: parseIndex(timestamp) }
    }
    const head = await block('latest')
    const before = await block(toQuantity(Math.max(0, head.number - measuredBlocks)))
    const blockMs = (1_000 * (head.seconds - before.seconds)) / Math.max(1, head.number - before.number)
    const code = await rpc.call('eth_getCode', [defaultConditionalOrders.composableCow, 'latest'])
    const blockTimeMs = Math.min(60_000, Math.max(250, Math.round(blockMs)))
    return { chainId, head: head.number, blockTimeMs, hasConditionalOrders: parseHex(code) !== '0x' }
  } catch {
    throw new Error(`no node answers at ${withoutSecrets(url)}: name one with --rpc`)
  }
}

/** The base URL of the order book of this chain, and what a Tradegraph says about the network. */
async function findBook(url: string, chainId: number): Promise<{ base: string; described?: Described }> {
  const served = await networksOf(url)
  const own = served.find((network) => network.chainId === chainId)
  if (own) return { base: pathOf(url, (path) => `${path}/${own.name}`), described: own }
  if (served.length > 0) {
    throw new Error(
      `${withoutSecrets(url)} serves ${namesOf(served)}, but the node is on chain ${chainId}: name another with --rpc`,
    )
  }
  const name = new URL(url).pathname.split('/').at(-1)
  const parent = pathOf(url, (path) => path.slice(0, path.lastIndexOf('/')))
  const there = await networksOf(parent)
  const described = there.find((network) => network.name === name)
  if (there.length > 0 && !described)
    throw new Error(`${withoutSecrets(parent)} serves ${namesOf(there)}, not ${name}`)
  if (described && described.chainId !== chainId)
    throw new Error(`${name} is chain ${described.chainId}, but the node is on chain ${chainId}`)
  await checkBook(url)
  return { base: url, ...(described && { described }) }
}

const namesOf = (networks: readonly Described[]) =>
  networks.map(({ name, chainId }) => `${name} (chain ${chainId})`).join(', ')

/** The networks of a Tradegraph at this URL; none if it is something else. */
async function networksOf(url: string): Promise<Described[]> {
  if (!URL.canParse(url)) return []
  const query = '{ networks { name chainId settlementContract vaultRelayer wrappedNative { address } } }'
  const request = { path: '/graphql', body: { query } }
  const peer = { name: 'the order book', url, now: Date.now, timeoutMs, maxBytes }
  const answer = await exchangeJson(peer, request, AbortSignal.timeout(timeoutMs)).catch(() => undefined)
  return networksShape.safeParse(answer?.body).data?.data.networks ?? []
}

/** @throws Error when there is no order book at this URL: any path but that of the version may be 404 */
async function checkBook(url: string): Promise<void> {
  const peer = { name: 'the order book', url, now: Date.now, timeoutMs, maxBytes }
  const question = { path: '/api/v1/version' }
  const answer = await exchangeText(peer, question, AbortSignal.timeout(timeoutMs)).catch(() => undefined)
  if (answer?.status !== 200) throw new Error(`no order book answers at ${withoutSecrets(url)}`)
}
