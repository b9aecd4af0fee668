import type { z } from 'zod'
import { vaultRelayerOf } from '../client/contracts.ts'
import { codeNamed, explained } from '../domain/errors/error-explanations.ts'
import { chainIdOfName } from '../domain/network/chains.ts'
import { messageOf } from '../graphql/input/parse.ts'
import type { Documents } from './documents.generated.ts'
import { notice, separate, untrusted } from './untrusted.ts'

/** A tool as data: its document, the variables, and the conversion of the result. */
interface ToolRow<Input extends z.ZodType, Output extends z.ZodObject, Run extends string, Data, Variables> {
  name: string
  title: string
  description: string
  /** Writes may be repeated: the service refuses or ignores what it has. */
  writes?: true
  input: Input
  output: Output
  /** The document. */
  run: Run
  variables(args: z.output<Input>): Variables
  /**
   * The result, with texts of strangers, which are then moved out. Undefined if there is no such thing.
   * @throws WrongAnswer
   */
  answer(data: Data, args: z.output<Input>): z.output<Output> | undefined
  /** The result in sentences. It never sees a text of a stranger. */
  words(result: z.output<Output>): string[]
}

/** A tool with any document. */
export type Tool = ToolRow<z.ZodType, z.ZodObject, string, unknown, Record<string, unknown>>

/** Types a tool by its document. A document without types needs `npm run codegen`. */
export function tool<Input extends z.ZodType, Output extends z.ZodObject, const Run extends keyof Documents>(
  row: ToolRow<Input, Output, Run, Documents[Run]['result'], Documents[Run]['variables']>,
): Tool {
  return row as unknown as Tool
}

/** Executes a document of a tool for its caller. Faults are errors of the result. */
export type Ask = (tool: Tool, variables: Record<string, unknown>) => Promise<AskedResult>

export interface AskedResult {
  data?: unknown
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[] | undefined
}

/** The result of a call, as the protocol has it. */
interface CallResult {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: true
  [key: string]: unknown
}

/** An answer of the service that no wallet may sign or approve by. */
export class WrongAnswer extends Error {}

/**
 * Calls a tool. Its faults are results too, with a stable code.
 * @param isOwn false for a service elsewhere, whose word counts for no contract
 */
export async function call(tool: Tool, given: unknown, ask: Ask, isOwn: boolean): Promise<CallResult> {
  const parsed = tool.input.safeParse(given ?? {})
  if (!parsed.success) {
    const { issues } = parsed.error
    // An argument that does not exist first: it may be a key, which must not be there.
    const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
    const field = issue?.path.join('.') || (issue && 'keys' in issue ? String(issue.keys[0]) : '')
    const fault = issue ? faultText(tool, given, field, issue) : ''
    return refused({ code: 'InvalidParameter', fault, ...(field && { field }) })
  }
  const { data, errors } = await ask(tool, tool.variables(parsed.data))
  if (errors?.[0]) return refused(withArgument(errorOf(errors[0]), tool))
  try {
    if (!isOwn) checkContracts(data)
    const answer = tool.answer(data, parsed.data)
    if (!answer)
      return refused({
        code: 'NotFound',
        fault: 'there is no such thing: check the arguments, and the network',
      })
    const { result, untrusted } = separate(answer, isOwn)
    return {
      content: contentOf(tool.words(result), result, untrusted),
      structuredContent: { ...result, ...(untrusted && { untrusted }) },
    }
  } catch (fault) {
    if (!(fault instanceof WrongAnswer)) throw fault
    return refused({
      code: 'InternalServerError',
      fault: `${fault.message}. Sign nothing, and ask the operator.`,
    })
  }
}

/** Names the argument at fault, and says what it takes if it is missing or has another type. */
function faultText({ input }: Tool, given: unknown, field: string, issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `the tool has no argument ${field}`
  const isMissing = (given as Record<string, unknown> | null | undefined)?.[field] === undefined
  const { shape = {} } = input as { shape?: Readonly<Record<string, z.ZodType>> }
  const isTyped = issue.code === 'invalid_type' || issue.code === 'invalid_union'
  const takes = isTyped ? shape[field]?.description : undefined
  const says = isMissing && takes ? 'is required' : messageOf(issue)
  return [`the argument ${field} ${says}`, ...(takes ? [takes] : [])].join(': ')
}

/** @throws WrongAnswer for an unknown settlement contract or vault relayer, or another chain */
function checkContracts(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { settlementContract, verifyingContract, vaultRelayer, network, id, chainId } = value as Record<
    string,
    unknown
  >
  const contract = settlementContract ?? verifyingContract
  const relayer = contract === undefined ? undefined : vaultRelayerOf(String(contract))
  if (contract !== undefined && relayer === undefined)
    throw new WrongAnswer('the service names a settlement contract that is not known')
  if (vaultRelayer !== undefined && String(vaultRelayer).toLowerCase() !== relayer)
    throw new WrongAnswer('the service names another vault relayer than that of the settlement contract')
  const known = chainIdOfName(String(network ?? id ?? ''))
  if (chainId !== undefined && known !== undefined && known !== chainId)
    throw new WrongAnswer('the service gives a network the id of another chain')
  for (const below of Object.values(value)) checkContracts(below)
}

/** The schema of successes. */
export const outputOf = (tool: Tool) => tool.output.extend({ untrusted: untrusted.optional() })

interface ToolError {
  code: string
  field?: string
  /** A fault of the arguments, found here. */
  fault?: string
  /** Text of the service, which may repeat texts of strangers. */
  message?: string
  retryable?: boolean
  data?: unknown
}

/** Members of the service’s inputs that have another name among the arguments of tools. */
const argumentNames: Readonly<Record<string, string>> = {
  sellBeforeFee: 'sellAmount',
  sellAmountBeforeFee: 'sellAmount',
  sellAmountAfterFee: 'sellAmount',
  buyAfterFee: 'buyAmount',
  buyAmountAfterFee: 'buyAmount',
  amount: 'sellAmount',
  base: 'sellToken',
  quote: 'buyToken',
  uid: 'orderUids',
  uids: 'orderUids',
  address: 'account',
  owner: 'account',
  validTo: 'validFor',
  appDataHash: 'appData',
  name: 'network',
}

/** Names the member at fault as the tool has it. */
function withArgument(error: ToolError, { input }: Tool): ToolError {
  const { shape = {} } = input as { shape?: object }
  if (error.field === undefined) return error
  const field = error.field
    .split('.')
    .findLast((part) => part in shape || (argumentNames[part] ?? '') in shape)
  if (field === undefined) return error
  return { ...error, field: field in shape ? field : (argumentNames[field] ?? field) }
}

function errorOf({ message, extensions = {} }: NonNullable<AskedResult['errors']>[number]): ToolError {
  const { code, field, retryable, data } = extensions
  return {
    code: typeof code === 'string' ? code : 'InternalServerError',
    message,
    ...(typeof field === 'string' && { field }),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(data !== undefined && { data }),
  }
}

const quoteAgain = 'Call quote again, and let the user sign the new order.'
const signAgain =
  'Let the wallet of the owner sign exactly the typed data of the tool, and send that signature.'

/** The call that follows an error. */
const nextSteps: Readonly<Partial<Record<string, string>>> = {
  InvalidParameter: 'Change the argument, and call the tool again.',
  InsufficientAllowance:
    'Let the user approve the sell token for vaultRelayer of the tool networks, then call submit_order again with the same signature.',
  InsufficientBalance: 'Let the user fund the account, or call quote with a smaller amount.',
  DuplicatedOrder: 'The order is placed already: follow it with the tool order.',
  NotFound: 'Check the network and the id: the tool account_orders lists the orders of an account.',
  Unavailable: 'Wait a minute, and call the tool again.',
  OrderExpired: quoteAgain,
  InsufficientValidTo: quoteAgain,
  AppDataHashMismatch: quoteAgain,
  WrongOwner: signAgain,
  InvalidSignature: signAgain,
  SellAmountDoesNotCoverFee: 'Call quote with a larger amount.',
  NoLiquidity: 'Call quote with a smaller amount, or look at the tool pairs for what can be traded.',
  OnChainOrder: 'The owner cancels it with a transaction of the wallet.',
}

function refused({ retryable = false, ...fault }: ToolError): CallResult {
  const known = codeNamed(fault.code)
  const texts = known && explained(known)
  // Advice is for traders: the arguments are the agent's to repair.
  const advice = fault.fault === undefined ? texts?.advice : undefined
  const nextStep = nextSteps[fault.code]
  const error = {
    ...fault,
    retryable,
    ...(texts && { meaning: texts.meaning }),
    ...(advice !== undefined && { advice }),
    ...(nextStep !== undefined && { nextStep }),
  }
  const { result, untrusted } = separate({ error }, false)
  const { code, field } = result.error
  const place = field === undefined ? '' : ` (${field})`
  const words = [
    `${code}${place}: ${fault.fault ?? texts?.meaning ?? ''}`,
    ...(advice ? [advice] : []),
    ...(nextStep ? [nextStep] : []),
  ]
  return {
    isError: true,
    content: contentOf(words, result, untrusted),
    structuredContent: { ...result, ...(untrusted && { untrusted }) },
  }
}

/**
 * A block of own words, one of the whole result as JSON, for clients that read texts alone, and one of the
 * texts of strangers as JSON, which they cannot leave.
 */
function contentOf(words: readonly string[], result: object, foreign: z.infer<typeof untrusted> | undefined) {
  const { tokens = [], texts = [] } = foreign ?? {}
  return [
    words.join('\n'),
    JSON.stringify(result),
    ...(foreign ? [`${notice}\n${JSON.stringify({ tokens, texts })}`] : []),
  ].map((text) => ({ type: 'text' as const, text }))
}
