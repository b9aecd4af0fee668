import { z } from 'zod'
import { formatUnits } from '../domain/amount.ts'
import { diagnosisCodes, diagnosisTexts } from '../domain/diagnosis/code.ts'
import { screaming } from '../domain/text/spelling.ts'

/** Arguments and results that tools share. */

const pattern = (form: RegExp, says: string) => z.string().regex(form, `must be ${says}`)

export const addressArgument = pattern(/^0x[0-9a-fA-F]{40}$/, 'an address: 0x and 40 hex digits')
export const atomsArgument = pattern(/^\d{1,78}$/, 'a decimal string of atoms')
export const uidArgument = pattern(/^0x[0-9a-fA-F]{112}$/, 'the UID of an order: 0x and 112 hex digits')
export const uidsArgument = z
  .array(uidArgument)
  .min(1)
  .max(10)
  .describe('UIDs of orders, each once. Those that are not known are left out of the answer.')
export const signatureArgument = pattern(/^0x([0-9a-fA-F]{2}){0,8192}$/, 'hex bytes with 0x in front')
export const networkArgument = pattern(/^[\w-]{1,64}$/, 'the name or chain id of a network')
  .optional()
  .describe('A network by name or chain id. May be left out where there is only one.')
export const pageArguments = {
  first: z.int().min(1).max(50).default(10).describe('Size of the page.'),
  after: z.string().max(200).optional().describe('The cursor of the page before, to continue behind it.'),
}

/** The terms of an order, with the names that are signed. */
export const orderArguments = {
  network: networkArgument,
  sellToken: addressArgument.describe('Contract of the token to sell.'),
  buyToken: addressArgument.describe('Contract of the token to buy.'),
  receiver: addressArgument.nullish().describe('Who gets the buy tokens; the owner if left out.'),
  sellAmount: atomsArgument.describe('Atoms to sell; of a purchase, the maximum.'),
  buyAmount: atomsArgument.describe('Atoms to buy; of a sale, the minimum.'),
  validTo: z.int().min(0).max(0xffff_ffff).describe('The time of expiry, in Unix seconds.'),
  appData: z.string().max(16_384).default('{}').describe('The appData document as text, or its hash.'),
  feeAmount: atomsArgument.default('0').describe('Only 0 is accepted.'),
  kind: z.enum(['SELL', 'BUY']).default('SELL').describe('The side whose amount is fixed.'),
  partiallyFillable: z.boolean().default(false),
  sellTokenBalance: z.enum(['ERC20', 'INTERNAL', 'EXTERNAL']).default('ERC20'),
  buyTokenBalance: z.enum(['ERC20', 'INTERNAL']).default('ERC20'),
  quoteId: z.int().min(0).nullish().describe('The `quoteId` of the quote that the order was made from.'),
}

export const schemeArgument = z.enum(['EIP712', 'ETHSIGN', 'PRESIGN', 'EIP1271'])

/** A token in results: names and symbols are among the untrusted texts. */
export const token = z.object({
  address: z.string(),
  decimals: z.number().nullable().describe('As its contract says.'),
})

export const tokenPair = z.array(token).describe('The sell token, then the buy token.')

/** A reason of a diagnosis. */
export const reason = z.object({
  code: z.string(),
  meaning: z.string(),
  summary: z
    .string()
    .optional()
    .describe('The same with the figures of this order; among `untrusted` if a service elsewhere says it.'),
  advice: z.string(),
  retryable: z.boolean().describe('True if waiting may be enough.'),
  since: z.string().nullable(),
  facts: z.array(z.looseObject({ kind: z.string() })).describe('The figures behind it; amounts in atoms.'),
})

export const page = { endCursor: z.string().nullable(), hasNextPage: z.boolean() }

interface TokenFields {
  address: string
  decimals: number | null
}

/** An amount in words, which name a token by its address only. */
export function amountText(atoms: string, { address, decimals }: TokenFields): string {
  if (decimals === null) return `${atoms} atoms of token ${address}`
  return `${formatUnits(BigInt(atoms), decimals)} of token ${address} (${atoms} atoms)`
}

interface SpokenTerms {
  kind: string
  sellAmount: string
  buyAmount: string
  partiallyFillable: boolean
  sellToken: TokenFields
  buyToken: TokenFields
}

/** The terms of an order, in words. */
export function termTexts(
  order: SpokenTerms & { owner: string; receiver: string; validTo: number },
): string[] {
  const isSale = order.kind === 'SELL'
  const [sell, buy] = [
    amountText(order.sellAmount, order.sellToken),
    amountText(order.buyAmount, order.buyToken),
  ]
  return [
    isSale ? `Sells exactly ${sell}.` : `Sells at most ${sell}.`,
    isSale ? `Receives at least ${buy}.` : `Receives exactly ${buy}.`,
    order.receiver === order.owner
      ? `The owner ${order.owner} receives what is bought.`
      : `${order.receiver} receives what is bought, not the owner ${order.owner}.`,
    `Expires at ${isoTime(order.validTo)}.`,
    order.partiallyFillable ? 'May be filled in parts.' : 'Is filled as a whole, or not at all.',
  ]
}

export const isoTime = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

/** The members of a reason. Its summary names tokens by their addresses. */
export const reasonFields =
  'code retryable since summary: ownSummary evidence { kind: __typename ... on AmountsEvidence { needed available missing token { address decimals symbol } } ... on TokenEvidence { token { address decimals symbol } } ... on PoolEvidence { pool } ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded } ... on FeeEvidence { fee left leastAmount token { address decimals symbol } } ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal } ... on BlocksEvidence { number at head } ... on TransactionEvidence { txHash block } ... on OrderEvidence { uid } ... on ProgrammaticOrderEvidence { owner hash status removedBlock } ... on RevertEvidence { revert: reason } ... on RefusalEvidence { code field message } ... on HookEvidence { phase index target outcome gasLimit gasUsed } ... on ValidityEvidence { from until offeredUntil } ... on CancellationEvidence { by detail } }'

interface ReasonFields {
  code: string
  summary: string
  since: string | null
  retryable: boolean
  evidence: readonly { kind: string }[]
}

const explained = new Map<string, { meaning: string; advice: string }>(
  diagnosisCodes.map((code) => [screaming(code), diagnosisTexts[code]]),
)
const unexplained = { meaning: 'This version does not know the reason.', advice: 'Ask the operator.' }

/** A reason with the fixed texts of its code. */
export function reasonOf({ code, summary, since, retryable, evidence }: ReasonFields) {
  const { meaning, advice } = explained.get(code) ?? unexplained
  return { code, meaning, advice, retryable, since, summary, facts: evidence.map((each) => ({ ...each })) }
}

export const reasonText = ({
  code,
  meaning,
  summary = meaning,
  advice,
}: Pick<z.infer<typeof reason>, 'code' | 'meaning' | 'summary' | 'advice'>) => `${code}: ${summary} ${advice}`
