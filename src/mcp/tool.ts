import type { z } from 'zod'
import { codeNamed, explained } from '../domain/errors/error-explanations.ts'
import type { Documents } from './documents.generated.ts'
import { notice, separate, untrusted } from './untrusted.ts'

/** A tool as data: its document, the variables, and the conversion of the result. */
interface ToolRow<Input extends z.ZodType, Output extends z.ZodObject, Run extends string, Data, Variables> {
  name: string
  title: string
  description: string
  /** Writes may be repeated: the service refuses or ignores what it has. */
  writes?: 'adds' | 'ends'
  input: Input
  output: Output
  /** The document. */
  run: Run
  variables(args: z.output<Input>): Variables
  /** The result, with texts of strangers, which are then moved out. Undefined if there is no such thing. */
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
export interface CallResult {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: true
  [key: string]: unknown
}

/** Calls a tool. Its faults are results too, with a stable code. */
export async function call(tool: Tool, given: unknown, ask: Ask): Promise<CallResult> {
  const parsed = tool.input.safeParse(given ?? {})
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue?.path.join('.') || (issue && 'keys' in issue ? String(issue.keys[0]) : '')
    return refused({ code: 'InvalidParameter', fault: issue?.message ?? '', ...(field && { field }) })
  }
  const { data, errors } = await ask(tool, tool.variables(parsed.data))
  if (errors?.[0]) return refused(errorOf(errors[0]))
  const answer = tool.answer(data, parsed.data)
  if (!answer) return refused({ code: 'NotFound', fault: 'there is no such thing' })
  const { result, untrusted } = separate(answer)
  return {
    content: contentOf(tool.words(result), untrusted),
    structuredContent: { ...result, ...(untrusted && { untrusted }) },
  }
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

function refused({ retryable = false, ...fault }: ToolError): CallResult {
  const known = codeNamed(fault.code)
  const texts = known && explained(known)
  // Advice is for traders: the arguments are the agent's to repair.
  const advice = fault.fault === undefined ? texts?.advice : undefined
  const error = {
    ...{ ...fault, retryable },
    ...(texts && { meaning: texts.meaning }),
    ...(advice !== undefined && { advice }),
  }
  const { result, untrusted } = separate({ error })
  const { code, field } = result.error
  const place = field === undefined ? '' : ` (${field})`
  const words = [`${code}${place}: ${fault.fault ?? texts?.meaning ?? ''}`, ...(advice ? [advice] : [])]
  return {
    isError: true,
    content: contentOf(words, untrusted),
    structuredContent: { ...result, ...(untrusted && { untrusted }) },
  }
}

/** A block of own words, and one of the texts of strangers as JSON, which they cannot leave. */
function contentOf(words: readonly string[], foreign: z.infer<typeof untrusted> | undefined) {
  const { tokens = [], texts = [] } = foreign ?? {}
  return [words.join('\n'), ...(foreign ? [`${notice}\n${JSON.stringify({ tokens, texts })}`] : [])].map(
    (text) => ({ type: 'text' as const, text }),
  )
}
