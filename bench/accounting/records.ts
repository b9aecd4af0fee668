import type { Policy, Quoted } from './fees.ts'

export interface Competition {
  auctionId: number
  auctionStartBlock: number
  auctionDeadlineBlock: number
  auction: { prices: Record<string, string> }
  solutions: {
    solverAddress: string
    score: string
    ranking: number
    isWinner: boolean
    referenceScore: string | null
    orders: { id: string; sellAmount: string; buyAmount: string }[]
  }[]
}

/** An order in the output of `tradegraph auction export`. */
interface ExportedOrder {
  uid: string
  feePolicies: Record<string, { factor: number; maxVolumeFactor?: number; quote?: Record<string, string> }>[]
}

export interface OrderTerms {
  policies: Policy[]
  /** Recipients of the last policies, as many as there are. */
  recipients: string[]
  quoted: Quoted | undefined
}

/** The service's records of auctions, from REST and exported auctions. */
export interface Records {
  /** Returns the competitions whose deadline is in the range. */
  competitions(from: number, to: number): Promise<Map<bigint, Competition>>
  terms(uid: string, auctionId: bigint): Promise<OrderTerms>
}

/** The text of an exported auction, if there is one. */
export type Exported = (auctionId: bigint) => string | undefined | Promise<string | undefined>

/** @param base such as `http://127.0.0.1:4000/local` */
export function createRecords(base: string, exported: Exported): Records {
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
  async function read(path: string): Promise<any> {
    const response = await fetch(`${base}/api/${path}`)
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.json()
  }
  const orders = new Map<string, Promise<{ fullAppData?: string; quote?: Record<string, string> }>>()
  const orderOf = (uid: string) => {
    const known = orders.get(uid) ?? read(`v1/orders/${uid}`)
    orders.set(uid, known)
    return known
  }

  return {
    async competitions(from, to) {
      const found = new Map<bigint, Competition>()
      const latest: Competition | undefined = await read('v2/solver_competition/latest')
      for (let id = latest?.auctionId ?? 0; id > 0; id--) {
        const competition: Competition | undefined = await read(`v2/solver_competition/${id}`)
        if (!competition) continue
        if (competition.auctionDeadlineBlock < from) break
        if (competition.auctionDeadlineBlock <= to) found.set(BigInt(id), competition)
      }
      return found
    },
    async terms(uid, auctionId) {
      const { fullAppData, quote } = (await orderOf(uid)) ?? {}
      const fees = [JSON.parse(fullAppData || '{}').metadata?.partnerFee ?? []].flat()
      const recipients = fees.map(({ recipient }: { recipient: string }) => recipient.toLowerCase())
      const text = await exported(auctionId)
      const entry: ExportedOrder | undefined = text
        ? JSON.parse(text).orders.find((order: ExportedOrder) => order.uid === uid)
        : undefined
      const policies = entry ? exportedPolicies(entry) : await reportedPolicies(uid, auctionId)
      return { policies, recipients, quoted: quote && quotedOf(quote) }
    },
  }

  async function reportedPolicies(uid: string, auctionId: bigint): Promise<Policy[]> {
    const report = await read(`v1/debug/order/${uid}`)
    const auction = report.auctions.find(({ id }: { id: number }) => BigInt(id) === auctionId)
    return auction.feePolicies.map(({ kind, ...factors }: { kind: Policy['kind'] }) => {
      const numbers = factors as Record<string, number>
      return policy(kind, numbers[`${kind}Factor`], numbers[`${kind}MaxVolumeFactor`])
    })
  }
}

function exportedPolicies({ feePolicies }: ExportedOrder): Policy[] {
  return feePolicies.flatMap((each) =>
    Object.entries(each).map(([kind, { factor, maxVolumeFactor }]) =>
      policy(kind as Policy['kind'], factor, maxVolumeFactor),
    ),
  )
}

function policy(kind: Policy['kind'], factor = 0, maxVolumeFactor = 0): Policy {
  const millionths = (share: number) => BigInt(Math.round(share * 1e6))
  return { kind, factor: millionths(factor), maxVolumeFactor: millionths(maxVolumeFactor) }
}

function quotedOf({ sellAmount = '0', buyAmount = '0', feeAmount = '0' }: Record<string, string>): Quoted {
  return { sellAmount: BigInt(sellAmount), buyAmount: BigInt(buyAmount), feeAmount: BigInt(feeAmount) }
}
