import { affiliateCodePattern } from '../affiliate/affiliate.ts'
import { parseAmount } from '../amount.ts'
import { Refusal } from '../errors/error.ts'
import { type Address, toAddress } from '../evm/address.ts'
import { type Bytes32, type Hex, toHex } from '../evm/hex.ts'
import { keccakText } from '../evm/keccak.ts'
import { type PartnerFee, parsePartnerFees } from '../fee/policy.ts'
import { type OrderUid, toOrderUid } from '../order/order.ts'
import { jsonSpelling } from '../text/json.ts'

/** The default limit of a document's size. The hash covers exactly the bytes that the client sent. */
export const maxAppDataBytes = 8_192

export const emptyAppDataDocument = '{}'
/** A hash that means the empty document although the hashes differ. */
export const zeroAppData = `0x${'00'.repeat(32)}` as Bytes32

export interface Hook {
  target: Address
  callData: Hex
  gasLimit: bigint
}

/** The members of an appData document that the service acts on; all others belong to the application. */
export interface ParsedAppData {
  preHooks: Hook[]
  postHooks: Hook[]
  signer: Address | null
  replacedOrder: OrderUid | null
  /** The earliest time for a trade, in Unix seconds. */
  validFrom: number | null
  partnerFees: PartnerFee[]
  /** True if the order must be settled through wrapper contracts. Omittable wrappers do not count. */
  wrapped: boolean
}

/** A client's document, hash, or both. `document` is null for a bare hash, which must be looked up. */
export interface AppDataInput {
  /** The text as sent; a quote returns it. */
  appData: string
  hash: Bytes32
  document: string | null
}

/**
 * Parses the three accepted forms. A string of 32 bytes in hex is a hash, any other string a document.
 * @throws Refusal InvalidParameter, AppDataHashMismatch
 */
export function toAppDataInput(appData: string, appDataHash?: string | null): AppDataInput {
  const declaredHash = appDataHash == null ? undefined : toHex(appDataHash, 32)
  if (appDataHash != null && !declaredHash) {
    throw new Refusal('InvalidParameter', 'appDataHash must be 32 bytes of hex with 0x in front', {
      field: 'appDataHash',
    })
  }
  const bareHash = toHex(appData, 32)
  const hash = bareHash ?? keccakText(appData)
  if (declaredHash && declaredHash !== hash) {
    throw new Refusal('AppDataHashMismatch', `appData hashes to ${hash}, appDataHash says ${declaredHash}`, {
      field: 'appDataHash',
    })
  }
  return { appData: bareHash ?? appData, hash, document: bareHash ? null : appData }
}

/** The facts of a document that others accepted; null without one, and for one that is refused here. */
export function readAppDataDocument(document: string | null): ParsedAppData | null {
  try {
    return document === null ? null : parseAppDataDocument(document)
  } catch (fault) {
    if (fault instanceof Refusal) return null
    throw fault
  }
}

/**
 * Checks and parses a document. Unknown members belong to the application and are ignored. Known members must
 * have the right form. Duplicate members are refused, because parsers would disagree on what was signed.
 * @param maxBytes limit for documents from clients; stored documents were checked before
 * @throws Refusal InvalidAppData, naming the JSON path at fault
 */
export function parseAppDataDocument(document: string, maxBytes = Number.POSITIVE_INFINITY): ParsedAppData {
  const size = Buffer.byteLength(document)
  if (size > maxBytes) throw invalid('', `is ${size} bytes, ${maxBytes} are allowed`)
  if (/\p{Surrogate}/u.test(document)) throw invalid('', 'is not UTF-8')
  const root = asObject(parseJson(document), '')
  const { duplicate, nonDigitNumbers } = jsonSpelling(document)
  if (duplicate !== undefined) throw invalid(duplicate, 'is given twice')
  const metadata = asOptionalObject(root.metadata, 'metadata')
  return {
    // Documents older than `metadata` have only hooks, in `backend`.
    ...(metadata
      ? readHooks(metadata.hooks, 'metadata.hooks')
      : readHooks(asOptionalObject(root.backend, 'backend')?.hooks, 'backend.hooks')),
    ...readMetadata(metadata ?? {}, nonDigitNumbers),
  }
}

function readHooks(value: unknown, path: string): Pick<ParsedAppData, 'preHooks' | 'postHooks'> {
  const { pre, post } = asOptionalObject(value, path) ?? {}
  return { preHooks: parseHooks(pre, `${path}.pre`), postHooks: parseHooks(post, `${path}.post`) }
}

function readMetadata(
  metadata: Record<string, unknown>,
  nonDigitNumbers: ReadonlySet<string>,
): Omit<ParsedAppData, 'preHooks' | 'postHooks'> {
  optional(metadata.flashloan, parseFlashloan)
  if (optional(metadata.enableFastPath, (value) => parseFlag(value, 'metadata.enableFastPath')))
    throw invalid('metadata.enableFastPath', 'is not available')
  return {
    signer: optional(metadata.signer, (value) => parseAddressAt(value, 'metadata.signer')),
    replacedOrder: optional(metadata.replacedOrder, (value) => {
      const { uid } = asObject(value, 'metadata.replacedOrder')
      const parsed = typeof uid === 'string' ? toOrderUid(uid) : undefined
      if (!parsed) throw invalid('metadata.replacedOrder.uid', 'must be a 56-byte UID')
      return parsed
    }),
    partnerFees: optional(metadata.partnerFee, (value) => parseFees(value, nonDigitNumbers)) ?? [],
    wrapped: (optional(metadata.wrappers, parseWrappers) ?? []).some(({ isOmittable }) => !isOmittable),
    validFrom: optional(metadata.validFrom, (value) => {
      const isWhole = typeof value === 'number' && Number.isInteger(value)
      if (!isWhole || nonDigitNumbers.has('metadata.validFrom') || value < 0 || value >= 2 ** 32) {
        throw invalid('metadata.validFrom', 'must be Unix seconds')
      }
      return value
    }),
  }
}

function parseFees(value: unknown, nonDigitNumbers: ReadonlySet<string>): PartnerFee[] {
  const fees = parsePartnerFees(value)
  const hasLooseNumbers = [...nonDigitNumbers].some((path) =>
    /^metadata\.partnerFee(\[\d+\])?\.\w*[bB]ps$/.test(path),
  )
  if (fees && !hasLooseNumbers) return fees
  throw invalid('metadata.partnerFee', 'must hold a recipient and one form of fee, in whole basis points')
}

function parseJson(document: string): unknown {
  try {
    return JSON.parse(document)
  } catch {
    throw invalid('', notJson(document))
  }
}

function notJson(document: string): string {
  const [, digits] = /^\s*0x([\da-f]*)\s*$/i.exec(document) ?? []
  if (digits === undefined) return 'is not JSON'
  return `is not JSON: it is hex of ${digits.length} digits; a hash has 64, and an empty document is {}`
}

function parseHooks(value: unknown, path: string): Hook[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalid(path, 'must be a list')
  return value.map((item: unknown, index) => {
    const at = `${path}[${index}]`
    const hook = asObject(item, at)
    const callData = typeof hook.callData === 'string' ? toHex(hook.callData) : undefined
    if (!callData) throw invalid(`${at}.callData`, 'must be 0x-prefixed hex')
    if (typeof hook.gasLimit !== 'string' || !/^[0-9]{1,20}$/.test(hook.gasLimit)) {
      throw invalid(`${at}.gasLimit`, 'must be a decimal string of at most 20 digits')
    }
    return { target: parseAddressAt(hook.target, `${at}.target`), callData, gasLimit: BigInt(hook.gasLimit) }
  })
}

function parseWrappers(value: unknown): { isOmittable: boolean }[] {
  if (!Array.isArray(value)) throw invalid('metadata.wrappers', 'must be a list')
  return value.map((item: unknown, index) => {
    const at = `metadata.wrappers[${index}]`
    const { address, data, isOmittable } = asObject(item, at)
    parseAddressAt(address, `${at}.address`)
    if (typeof data !== 'string' || !toHex(data)) throw invalid(`${at}.data`, 'must be 0x-prefixed hex')
    return { isOmittable: optional(isOmittable, (flag) => parseFlag(flag, `${at}.isOmittable`)) ?? false }
  })
}

function parseFlag(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw invalid(path, 'must be true or false')
  return value
}

/** Checks the form of a flash loan, which is only a hint for solvers. */
function parseFlashloan(value: unknown): void {
  const loan = asObject(value, 'metadata.flashloan')
  for (const name of ['liquidityProvider', 'protocolAdapter', 'receiver', 'token']) {
    parseAddressAt(loan[name], `metadata.flashloan.${name}`)
  }
  if (!('amount' in parseAmount(loan.amount)))
    throw invalid('metadata.flashloan.amount', 'must be a decimal string')
}

function parseAddressAt(value: unknown, path: string): Address {
  const parsed = typeof value === 'string' ? toAddress(value) : undefined
  if (!parsed) throw invalid(path, 'must be an address')
  return parsed
}

function optional<T>(value: unknown, parse: (value: unknown) => T): T | null {
  return value === undefined || value === null ? null : parse(value)
}

function asObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(path, 'must be an object')
  return value as Record<string, unknown>
}

function asOptionalObject(value: unknown, path: string): Record<string, unknown> | null {
  return optional(value, () => asObject(value, path))
}

function invalid(path: string, fault: string): Refusal {
  return new Refusal('InvalidAppData', path ? `appData ${path} ${fault}` : `appData ${fault}`, {
    field: 'appData',
  })
}

/** The maximum length of an indexed name. Orders cannot be found by longer names. */
export const maxAppCode = 100

/**
 * Returns the application that a document names in its root, for the index; null if the name is missing or
 * not indexed.
 */
export function appCodeOf(document: string | null): string | null {
  if (document === null) return null
  const { appCode } = parseObject(document)
  const isIndexed = typeof appCode === 'string' && appCode.length <= maxAppCode && !appCode.includes('\0')
  return isIndexed ? appCode : null
}

/** Parses a stored document, which was checked before. A document that is not an object has no appCode. */
function parseObject(document: string): { appCode?: unknown } {
  try {
    return Object(JSON.parse(document))
  } catch {
    return {}
  }
}

const codePattern = new RegExp(affiliateCodePattern, 'i')

/**
 * Returns the code in a document's `metadata.referrer.code` in upper case, or null without one. Older
 * documents have an address in `metadata.referrer`, which is not a code.
 */
export function referrerCodeOf(document: string | null): string | null {
  // Fast path: runs for every order, and few documents have a code. A backslash can escape the member's name.
  if (document === null || !/referrer|\\/.test(document)) return null
  const code = memberOf(memberOf(memberOf(parseStored(document), 'metadata'), 'referrer'), 'code')
  return typeof code === 'string' && codePattern.test(code) ? code.toUpperCase() : null
}

/** Parses a stored document, which was checked before. A document that does not parse has no referrer. */
function parseStored(document: string): unknown {
  try {
    return JSON.parse(document)
  } catch {
    return undefined
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
