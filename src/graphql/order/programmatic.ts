import DataLoader from 'dataloader'
import { derivedOnce } from '../../domain/derived.ts'
import type { Described } from '../../domain/described.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import {
  type DiagnosedOrder,
  diagnosisCodes,
  diagnosisOf,
  diagnosisTexts,
  type ProgrammaticDiagnosis,
} from '../../domain/programmatic/diagnosis.ts'
import { type HandlerType, handlerTypes } from '../../domain/programmatic/handlers.ts'
import { type DecodedType, staticInputs } from '../../domain/programmatic/static-input.ts'
import { partStatus } from '../../domain/programmatic/status.ts'
import {
  type GeneratorStatus,
  generatorStatuses,
  generatorStatusTexts,
  type PartStatus,
  partStatuses,
  partStatusTexts,
  pollResults,
  pollResultTexts,
} from '../../domain/programmatic/statuses.ts'
import { type TwapPart, twapAt, twapPart, twapParts } from '../../domain/programmatic/twap.ts'
import { type BookedPart, programmaticSources, readBookedParts } from '../../storage/chain/programmatic.ts'
import { orderByUid, programmaticOrderByKey } from '../../storage/models/keyed.ts'
import {
  listedProgrammaticOrders,
  oneProgrammaticOrder,
  type ProgrammaticOrderKey,
  type ProgrammaticRow,
  programmaticDiagnosisFacts,
  programmaticFacts,
  programmaticOrder,
} from '../../storage/models/programmatic.ts'
import { readNodeId } from '../../storage/query/node-id.ts'
import type { Selected } from '../../storage/query/selection.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { isFollowing, tradingOn } from '../context/networks.ts'
import { describedRef } from '../described.ts'
import { defineEnum } from '../enums.ts'
import { NetworkRef, networkOn } from '../network.ts'
import {
  type Arguments,
  allNetworks,
  changedAfterArgument,
  checkFirst,
  connectionRef,
  cursorArguments,
  networkArgument,
  type Page,
  pageByChange,
  placeIn,
} from '../paging.ts'
import { OrderRef } from '../refs.ts'
import type { Environment } from '../stored/collect.ts'
import { elsewhere } from '../stored/elsewhere.ts'
import { exposeModel, storedRoot } from '../stored/expose.ts'
import { identityOf, modelRef, resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { chainIdsOf, namedNetworks, readingOwner } from './order.ts'
import { partUid, type Terms, termsOf } from './programmatic-terms.ts'

const typeTexts: Record<HandlerType, string> = {
  TWAP: 'Parts of equal size at equal distances in time.',
  StopLoss: 'One order, once a price has fallen.',
  GoodAfterTime: 'One order, after a time.',
  TradeAboveThreshold: 'The whole balance, each time it reaches a threshold.',
  PerpetualSwap: 'The larger balance of two tokens of equal worth, again and again.',
  CirclesBackingOrder: 'One order of Circles, whose sell amount is a constant.',
  SwapOrderHandler: 'The whole balance.',
  ERC4626CowSwapFeeBurner: 'Fees in shares of a vault.',
  CurveCowSwapBurner: 'Fees of Curve; its input is not decoded.',
  BalancerCowSwapFeeBurner: 'Fees of Balancer; its input is not decoded.',
  CowAmmConstantProduct: 'A market maker; its input is not decoded.',
  Unknown: 'A handler that the service does not know: anyone may deploy one.',
}

const ProgrammaticOrderType = defineEnum(
  'ProgrammaticOrderType',
  'The kind of the handler of a programmatic order.',
  handlerTypes,
  typeTexts,
)

const ProgrammaticOrderStatus = defineEnum(
  'ProgrammaticOrderStatus',
  'The status of a programmatic order, from the chain, its input and its orders.',
  generatorStatuses,
  generatorStatusTexts,
)

const ProgrammaticPartStatus = defineEnum(
  'ProgrammaticPartStatus',
  'The status of a part. Derived on every read, first match: FILLED, CANCELLED if its order is invalidated on chain, EXPIRED, CANCELLED, SCHEDULED, and in its window OPEN or NOT_POSTED.',
  partStatuses,
  partStatusTexts,
)

defineEnum(
  'ProgrammaticPollResult',
  'What a poll of a programmatic order by the watch tower found.',
  pollResults,
  pollResultTexts,
)

defineEnum(
  'ProgrammaticOrderSource',
  'How the service found a programmatic order first.',
  programmaticSources,
  {
    log: 'By the log of its creation.',
    root: 'As a leaf of a Merkle root whose log has the leaves.',
    order: 'By the signature of an order in the book: it was created without a log, or its tree is private.',
  },
)

const ProgrammaticDiagnosisCode = defineEnum(
  'ProgrammaticDiagnosisCode',
  'Why a programmatic order goes on or not.',
  diagnosisCodes,
  diagnosisTexts,
)

const ProgrammaticDiagnosisRef = builder.objectRef<ProgrammaticDiagnosis>('ProgrammaticDiagnosis')
ProgrammaticDiagnosisRef.implement({
  description:
    'Why a programmatic order goes on or not, from its status and the last poll by the watch tower.',
  fields: (t) => ({
    code: t.field({
      type: ProgrammaticDiagnosisCode,
      description: 'The reason why it does not go on.',
      resolve: ({ code }) => code,
    }),
    text: t.exposeString('text', { description: 'The reason in plain sentences, with quotes of contracts.' }),
  }),
})

exposeModel(programmaticOrder)

const needs = { facts: programmaticFacts } satisfies Selected['needs']

const factsOf = (parent: StoredValue) => termsOf(identityOf<{ facts: ProgrammaticRow }>(parent).facts)

type Input = { type: DecodedType; chainId: number }

const inputTypes = Object.keys(staticInputs) as DecodedType[]
const ProgrammaticInput = builder.unionType('ProgrammaticOrderInput', {
  description: 'The decoded input of a programmatic order, by the kind of its handler.',
  types: inputTypes.map((type) => describedRef<Described, Input>(staticInputs[type])),
  resolveType: (value) => staticInputs[(value as Input).type].name,
})

/** The difference to the clocks of order books, in seconds. */
const maxSkew = 60

/** The same key without a reader of order books that networks follow. */
const storedOrderByUid = { ...orderByUid }

/** A part of a TWAP, which is known before it is placed. */
interface Part extends TwapPart {
  uid: OrderUid
  isAuthorised: boolean
  /** The reading of its order where that is selected, which may store it from a followed order book. */
  reading?: Promise<unknown>
}

function toPart(terms: Terms, part: TwapPart, context: Context): Part {
  return { ...part, uid: partUid(terms, part, context), isAuthorised: terms.removedBlock === null }
}

/** Loads the state of parts in the book and on chain: those of one tick are read in one statement. */
const bookedLoader = derivedOnce(
  (context: Context) =>
    new DataLoader<OrderUid, BookedPart>(async (uids) => {
      context.proceed()
      return readBookedParts(context.db, uids, unixSeconds(context.now()))
    }),
)

async function statusOf(part: Part, context: Context): Promise<PartStatus> {
  const loader = bookedLoader(context)
  // All fields of the part are being resolved then.
  await Promise.resolve()
  if (part.reading) {
    await part.reading.catch(() => undefined)
    loader.clear(part.uid)
  }
  const booked = await loader.load(part.uid)
  return partStatus({ ...part, ...booked, now: unixSeconds(context.now()) })
}

/** A part is placed in its window: before that, no order book has to be asked for it. */
const mayBePlaced = (validFrom: number, { now }: Context) => validFrom <= unixSeconds(now()) + maxSkew

const PartRef = builder.objectRef<Part>('ProgrammaticOrderPart')
PartRef.implement({
  description: 'A part of a TWAP. All of it is known before it is placed; parts differ in their time only.',
  fields: (t) => ({
    index: t.field({ type: 'Uint32', description: 'Counted from 0.', resolve: ({ index }) => index }),
    uid: t.field({ type: 'OrderUid', description: 'The UID of its order.', resolve: ({ uid }) => uid }),
    validFrom: t.field({
      type: 'Uint32',
      description: 'Unix seconds: the first in which it can be traded.',
      resolve: ({ validFrom }) => validFrom,
    }),
    validTo: t.field({
      type: 'Uint32',
      description: 'Unix seconds: the last in which it can be traded.',
      resolve: ({ validTo }) => validTo,
    }),
    sellAmount: t.field({
      type: 'Uint256',
      description: 'The amount that the part sells, in atoms.',
      resolve: ({ order }) => order.sellAmount,
    }),
    buyAmount: t.field({
      type: 'Uint256',
      description: 'The amount that the part buys at least, in atoms.',
      resolve: ({ order }) => order.buyAmount,
    }),
    status: t.field({
      type: ProgrammaticPartStatus,
      description: 'Derived from its order, the chain and the time.',
      resolve: (part, _args, context) => statusOf(part, context),
    }),
    order: t.field({
      type: OrderRef,
      nullable: true,
      description: 'Its order; null while it is not placed.',
      resolve(part, _args, context, info) {
        const { uid, validFrom } = part
        const read = mayBePlaced(validFrom, context) ? orderByUid : storedOrderByUid
        const order = resolveKeyed(read, uid, context, info)
        if (isFollowing(context.networks)) part.reading = order
        return order
      },
    }),
  }),
})

/** The maximum length of a page of parts. */
const maxParts = 100

const PartConnectionRef = connectionRef<Part>({
  item: PartRef,
  description: 'A page of the parts of a TWAP that can be signed.',
  placeOf: ({ index }) => `p${index}`,
})

/** The part that can be traded now, or the next one; a part that has ended is followed by the next. */
async function nextPartOf(terms: Terms, context: Context): Promise<Part | null> {
  const { schedule, removedBlock } = terms
  if (!schedule || removedBlock !== null) return null
  const now = unixSeconds(context.now())
  const answer = twapAt(schedule, now)
  const partAt = (index: number) => {
    const part = twapPart(schedule, index)
    return part ? toPart(terms, part, context) : null
  }
  if (answer.state === 'beforeStart') return partAt(0)
  if (answer.state === 'outsideSpan' && answer.next !== null)
    return partAt(Math.floor((now - schedule.start) / Number(schedule.input.t)) + 1)
  if (answer.state !== 'part') return null
  const part = toPart(terms, answer.part, context)
  const status = await statusOf(part, context)
  return status === 'filled' || status === 'cancelled' ? partAt(part.index + 1) : part
}

const ProgrammaticOrderRef = modelRef('ProgrammaticOrder')

builder.objectFields(ProgrammaticOrderRef, (t) => ({
  network: t.field({
    type: NetworkRef,
    description: 'The network of the programmatic order.',
    resolve: (parent, _args, context) => networkOn(identityOf<{ chainId: number }>(parent).chainId, context),
  }),
  input: t.field({
    type: ProgrammaticInput,
    nullable: true,
    description:
      'The decoded static input; null if the handler or its encoding is not known, or it does not decode.',
    extensions: { needs },
    resolve: (parent) => {
      const { decoded, chainId } = factsOf(parent)
      return decoded.input && { ...decoded.input, type: decoded.type, chainId }
    },
  }),
  decodeError: t.string({
    nullable: true,
    description: 'The reason why the input of a known handler does not decode; null if there is none.',
    extensions: { needs },
    resolve: (parent) => {
      const { decoded } = factsOf(parent)
      return 'decodeError' in decoded ? decoded.decodeError : null
    },
  }),
  diagnosis: t.field({
    type: ProgrammaticDiagnosisRef,
    description: 'Why it goes on or not.',
    extensions: { needs: { diagnosed: programmaticDiagnosisFacts } satisfies Selected['needs'] },
    resolve: (parent) => diagnosisOf(identityOf<{ diagnosed: DiagnosedOrder }>(parent).diagnosed),
  }),
  nextPart: t.field({
    type: PartRef,
    nullable: true,
    description:
      'The part of a TWAP that can be traded now, or else the next one; null if none follows, or the parts are not known in advance.',
    extensions: { needs },
    resolve: (parent, _args, context) => nextPartOf(factsOf(parent), context),
  }),
  parts: t.field({
    type: PartConnectionRef,
    nullable: true,
    description:
      'The parts of a TWAP in order, also those that are not placed yet; null if they are not known in advance.',
    extensions: { needs },
    args: cursorArguments(t.arg, 10, maxParts),
    resolve: (parent, { first, after }, context): Page<Part> | null => {
      checkFirst(first, maxParts)
      const from = after == null ? 0 : Number(placeIn(after, /^p([0-9]{1,10})$/)[0]) + 1
      const terms = factsOf(parent)
      if (!terms.schedule) return null
      const parts = twapParts(terms.schedule, from, first)
      return {
        items: context.countItems(parts.map((part) => toPart(terms, part, context))),
        hasNextPage: from + parts.length < terms.schedule.signableParts,
        hasPreviousPage: from > 0,
      }
    },
  }),
}))

/** A shorter beginning of a hash would be that of many. */
const minHashDigits = 8

interface ListArguments {
  network?: string | null
  owner?: Address | null
  resolvedOwner?: Address | null
  hash?: Hex | null
  txHash?: Bytes32 | null
  status?: readonly GeneratorStatus[] | null
  type?: HandlerType | null
  after?: string | null
  changedAfter?: string | null
}

/** Arguments that narrow a list of programmatic orders. */
export function programmaticArguments(arg: Arguments) {
  return {
    network: networkArgument(arg, allNetworks),
    status: arg({
      type: [ProgrammaticOrderStatus],
      required: false,
      description: 'Only those with one of these statuses.',
    }),
    type: arg({ type: ProgrammaticOrderType, required: false, description: 'Only those of this kind.' }),
    changedAfter: changedAfterArgument(arg),
  }
}

/** @throws Refusal InvalidParameter; Unauthorized with changedAfter */
export function programmaticRowArguments<Args extends ListArguments>(args: Args, environment: Environment) {
  const { network, owner, resolvedOwner, status, type, hash, txHash, ...page } = args
  if (owner != null && resolvedOwner != null)
    throw new Refusal('InvalidParameter', 'give owner or resolvedOwner, not both', { field: 'resolvedOwner' })
  if (hash != null && (hash.length < minHashDigits + 2 || hash.length > 66))
    throw new Refusal('InvalidParameter', 'hash must have 4 to 32 bytes', { field: 'hash' })
  const naming = hash == null ? 'txHash' : 'hash'
  if (page.changedAfter != null && args[naming] != null)
    throw new Refusal('InvalidParameter', `${naming} does not go with changedAfter`, { field: naming })
  const filter = {
    chainIds: chainIdsOf(environment, network),
    ...(owner != null && { owner }),
    ...(resolvedOwner != null && { resolvedOwner }),
    ...(status != null && { statuses: status }),
    ...(type != null && { type }),
    ...(hash != null && { hash }),
    ...(txHash != null && { txHash }),
  }
  return { ...pageByChange(page, environment), filter, now: unixSeconds(environment.now()) }
}

interface OneArguments {
  id?: string | null
  network?: string | null
  owner?: Address | null
  hash?: Bytes32 | null
}

/** @throws Refusal InvalidParameter, or for a network that is not served */
function toKey({ id, network, owner, hash }: OneArguments, environment: Environment): ProgrammaticOrderKey {
  if (id != null && network == null && owner == null && hash == null) {
    const parts = /^ProgrammaticOrder:([1-9][0-9]{0,9}):(0x[0-9a-f]{40}):(0x[0-9a-f]{64})$/.exec(
      readNodeId(id),
    )
    if (!parts)
      throw new Refusal('InvalidParameter', 'id must be that of a programmatic order', { field: 'id' })
    const [, chainId, ofOwner, ofHash] = parts
    return { chainId: Number(chainId), owner: ofOwner as Address, hash: ofHash as Bytes32 }
  }
  if (id != null || owner == null || hash == null)
    throw new Refusal('InvalidParameter', 'give either id, or owner and hash', { field: 'id' })
  return { chainId: tradingOn(environment, network).network.chainId, owner, hash }
}

/** Its parts are orders of its owner. */
elsewhere(programmaticOrderByKey, {
  ownerOf: ({ chainId, owner }, networks) => ({
    owner,
    networks: networks.all.filter(({ network }) => network.chainId === chainId),
  }),
})

builder.queryFields((t) => ({
  programmaticOrder: storedRoot(t, oneProgrammaticOrder, {
    args: {
      id: t.arg.id({ required: false, description: 'Its id, in place of the other arguments.' }),
      network: networkArgument(t.arg),
      owner: t.arg({ type: 'Address', required: false, description: 'Its owner.' }),
      hash: t.arg({
        type: 'Bytes32',
        required: false,
        description: 'The hash that identifies it with its owner.',
      }),
    },
    rowArguments: toKey,
    ...readingOwner((args: OneArguments, environment) => {
      const { chainId, owner } = toKey(args, environment)
      return {
        owner,
        networks: environment.networks.all.filter(({ network }) => network.chainId === chainId),
      }
    }),
  }),
  programmaticOrders: storedRoot(t, listedProgrammaticOrders, {
    args: {
      owner: t.arg({ type: 'Address', required: false, description: 'Only those of this owner.' }),
      resolvedOwner: t.arg({
        type: 'Address',
        required: false,
        description: 'Only those of this account and of its CoWShed proxies.',
      }),
      hash: t.arg({
        type: 'Hex',
        required: false,
        description:
          'Only those whose hash begins with these bytes, 4 to 32. Who may hold a secret in place of a hash asks with its first bytes. Several owners can have the same hash. Not with changedAfter.',
      }),
      txHash: t.arg({
        type: 'Bytes32',
        required: false,
        description: 'Only those that this transaction created. Not with changedAfter.',
      }),
      ...programmaticArguments(t.arg),
    },
    rowArguments: (args: ListArguments, environment) => programmaticRowArguments(args, environment),
    ...readingOwner(({ owner, resolvedOwner, network }: ListArguments, environment) => ({
      owner: owner ?? resolvedOwner,
      networks: namedNetworks(network, environment),
    })),
  }),
}))
