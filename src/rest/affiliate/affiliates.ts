import { getNullableType, isNonNullType } from 'graphql'
import { z } from 'zod'
import { signatureIn } from '../../affiliates/register.ts'
import { affiliateCodePattern } from '../../domain/affiliate/affiliate.ts'
import { Refusal } from '../../domain/errors/error.ts'
import {
  affiliateSwitch,
  parseAffiliateCode,
  registerAffiliateInput,
} from '../../graphql/affiliate/affiliate.ts'
import { addressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type { GetAffiliateWalletResult, GetRefCodesCodeResult } from '../documents.generated.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { fieldOf, fieldSchema, selected } from '../openapi/selected.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'

const code = z.string().regex(affiliateCodePattern)
const dollars = z.number().min(0)
const percent = z.number().min(0).max(100)

/** Schemas of fields that are narrower than their GraphQL type. */
const narrower: Readonly<Record<string, z.ZodType>> = {
  code,
  boundCode: code,
  timeCapDays: z.int().positive(),
  revenueSplitAffiliatePct: percent,
  revenueSplitTraderPct: percent,
  revenueSplitDaoPct: percent,
}

/**
 * Returns the schema and the writer of a body with fields of a GraphQL type. Decimals are JSON numbers: the
 * nearest doubles.
 * @param fields a selection, or fields by their names in the body
 */
export function bodyOf<Result>(
  type: string,
  fields: string | Readonly<Record<string, keyof Result & string>>,
) {
  const named =
    typeof fields === 'string'
      ? fields.split(' ').map((field) => [field, field] as const)
      : Object.entries(fields)
  const names = new Map<string, string>(named.map(([name, field]) => [field, name]))
  const members = named.map(([name, field]) => {
    const { type: given, description } = fieldOf(`${type}.${field}`)
    const isNumber = getNullableType(given).toString() === 'Decimal'
    const own = narrower[field] ?? (isNumber ? dollars : undefined)
    const value = own && !isNonNullType(given) ? own.nullable() : own
    const text = description?.replace(/\b[a-z]+[A-Z]\w+/g, (word) => names.get(word) ?? word)
    const schema = fieldSchema(`${type}.${field}`, value).meta({ description: text })
    return { name, field, isNumber, schema }
  })
  return {
    schema: z.object(Object.fromEntries(members.map(({ name, schema }) => [name, schema]))),
    write: (result: Result) =>
      Object.fromEntries(
        members.map(({ name, field, isNumber }) => {
          const value = result[field as keyof Result]
          return [name, isNumber && value !== null ? Number(value) : value]
        }),
      ),
  }
}

const referralFields = 'code traderRewardAmount triggerVolume timeCapDays volumeCap'
const affiliateFields =
  'code createdAt rewardAmount triggerVolume timeCapDays volumeCap revenueSplitAffiliatePct revenueSplitTraderPct revenueSplitDaoPct'
const registeredFields = 'code createdAt'
const switchedFields = 'code enabled'

const referralBody = bodyOf<NonNullable<GetRefCodesCodeResult['referralCode']>>(
  'ReferralCode',
  referralFields,
)
const affiliateBody = bodyOf<NonNullable<GetAffiliateWalletResult['affiliate']>>('Affiliate', affiliateFields)

const walletPath = z.object({ wallet: addressField })

/** Routes of affiliates and their codes. */
export const affiliateRoutes: Route[] = [
  route({
    on: 'POST /affiliate/:wallet',
    needs: 'cms',
    maxBytes: 32_768,
    run: `mutation ($input: RegisterAffiliateInput!) { registerAffiliate(input: $input) { affiliate { ${registeredFields} } } }`,
    variables({ path, body }) {
      const { wallet } = parseInput(walletPath, path)
      const input = parseInput(registerAffiliateInput.schema, body)
      if (input.walletAddress !== wallet) {
        throw new Refusal('AffiliateWalletMismatch', 'Affiliate wallet address mismatch', {
          field: 'walletAddress',
        })
      }
      return { input: { ...input, signedMessage: signatureIn(input.signedMessage) } }
    },
    answer: ({ registerAffiliate }) => registerAffiliate.affiliate,
    status: () => 201,
  }),
  route({
    on: 'GET /affiliate/:wallet',
    needs: 'cms',
    run: `query ($wallet: Address!) { affiliate(wallet: $wallet) { ${affiliateFields} } }`,
    variables: ({ path }) => parseInput(walletPath, path),
    answer: ({ affiliate }) => affiliate && affiliateBody.write(affiliate),
    missing: 'Affiliate not found',
  }),
  route({
    on: 'GET /ref-codes/:code',
    needs: 'cms',
    run: `query ($code: String!) { referralCode(code: $code) { ${referralFields} } }`,
    variables: codeVariables,
    answer: ({ referralCode }) => referralCode && referralBody.write(referralCode),
    missing: 'Affiliate code not found',
  }),
  route({
    on: 'PUT /ref-codes/:code',
    needs: 'cms',
    isEditors: true,
    run: `mutation ($input: SetAffiliateEnabledInput!) {
      setAffiliateEnabled(input: $input) { affiliate { ${switchedFields} } }
    }`,
    variables: ({ path, body }) => ({
      input: { code: parseAffiliateCode(path.code), ...parseInput(affiliateSwitch, body) },
    }),
    answer: ({ setAffiliateEnabled }) => setAffiliateEnabled.affiliate,
  }),
]

function codeVariables({ path }: RestRequest<'code'>) {
  return { code: path.code }
}

export const registeredAffiliate = selected('Affiliate', registeredFields, { code })
export const affiliate = affiliateBody.schema
export const referralCode = referralBody.schema
export const switchedCode = selected('Affiliate', switchedFields, { code })

const registration = {
  walletAddress: sample.trader,
  code: 'LOCAL-FIRST',
  signedMessage:
    '0x569a2830fd2c6f5c8eb693437168f396ba78ce98bd8f20deea763412798294397385a490e3e27aed821a70e2f91b4ef00d9da43e193da642840ddb28287eed881b',
}

export const affiliateOperations: Operations = {
  'POST /affiliate/:wallet': {
    id: 'registerAffiliate',
    summary: 'Bind a code to a wallet',
    description:
      'The binding is permanent: a wallet has one code, and a code one wallet. The wallet signs `AffiliateCode(address walletAddress,string code,uint256 chainId)` with chainId 1 on every chain, under a domain of name `Service Affiliate` and version `1` and nothing else (a deployment can have another name: `affiliateTypedData` of /graphql returns what to sign). Signatures of keys, of contract wallets (ERC-1271) and of those not yet deployed (ERC-6492) are accepted.',
    body: registerAffiliateInput.schema,
    answers: { 201: { description: 'The code is bound.', schema: registeredAffiliate } },
    codes: [
      'AffiliateWalletMismatch',
      'InvalidAffiliateSignature',
      'AffiliateWalletBound',
      'AffiliateCodeTaken',
      'AffiliateExists',
    ],
    examples: {
      key: {
        summary: 'Signed by a key',
        path: { wallet: sample.trader },
        body: registration,
        answer: { code: 'LOCAL-FIRST', createdAt: '2027-01-15T08:00:00Z' },
      },
      again: {
        summary: 'The same once more',
        path: { wallet: sample.trader },
        body: registration,
        refused: ['AffiliateWalletBound', 'Affiliate wallet address already bound to a code'],
      },
      otherWallet: {
        summary: 'Another wallet in the path',
        path: { wallet: sample.newcomer },
        body: registration,
        refused: ['AffiliateWalletMismatch', 'Affiliate wallet address mismatch'],
      },
      otherCode: {
        summary: 'Another code than signed',
        path: { wallet: sample.trader },
        body: { ...registration, code: 'LOCAL-SECOND' },
        refused: ['InvalidAffiliateSignature', 'Affiliate has invalid signature'],
      },
    },
  },
  'GET /affiliate/:wallet': {
    id: 'affiliate',
    summary: 'The affiliate of a wallet',
    description: 'Works also while its code is switched off.',
    answers: {
      200: { description: 'The wallet’s code, and the programme at its registration.', schema: affiliate },
    },
    examples: {
      registered: {
        summary: 'Registered',
        path: { wallet: sample.trader },
        answer: {
          code: 'LOCAL-FIRST',
          createdAt: '2027-01-15T08:00:00Z',
          rewardAmount: 20,
          triggerVolume: 250000,
          timeCapDays: 90,
          volumeCap: 0,
          revenueSplitAffiliatePct: 50,
          revenueSplitTraderPct: 50,
          revenueSplitDaoPct: 0,
        },
      },
      unknown: { summary: 'Not registered', path: { wallet: sample.newcomer }, refused: 'missing' },
      malformed: {
        summary: 'A malformed address',
        path: { wallet: '0x12' },
        refused: ['InvalidParameter', 'wallet must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
  'GET /ref-codes/:code': {
    id: 'referralCode',
    summary: 'A code as a trader sees it',
    answers: { 200: { description: 'The trader’s reward and its conditions.', schema: referralCode } },
    codes: ['AffiliateCodeDisabled'],
    examples: {
      known: {
        summary: 'A code',
        path: { code: 'LOCAL-FIRST' },
        answer: {
          code: 'LOCAL-FIRST',
          traderRewardAmount: 10,
          triggerVolume: 250000,
          timeCapDays: 90,
          volumeCap: 0,
        },
      },
      unknown: { summary: 'An unknown code', path: { code: 'UNKNOWN' }, refused: 'missing' },
      disabled: {
        summary: 'Switched off',
        path: { code: 'LOCAL-ENDED' },
        refused: ['AffiliateCodeDisabled', 'Affiliate code disabled'],
      },
      malformed: {
        summary: 'A code in lowercase',
        path: { code: 'local-first' },
        refused: ['InvalidParameter', 'code must be 5 to 20 characters of A-Z, 0-9, _ and -'],
      },
    },
  },
  'PUT /ref-codes/:code': {
    id: 'switchReferralCode',
    summary: 'Switch a code on or off',
    body: affiliateSwitch,
    answers: { 200: { description: 'The code after the change.', schema: switchedCode } },
    codes: ['NotFound'],
    examples: {
      off: {
        summary: 'Switched off',
        path: { code: 'LOCAL-FIRST' },
        headers: { 'X-API-Key': sample.key },
        body: { enabled: false },
        answer: { code: 'LOCAL-FIRST', enabled: false },
      },
      withoutKey: {
        summary: 'Without the key',
        path: { code: 'LOCAL-FIRST' },
        body: { enabled: false },
        refused: [
          'Unauthorized',
          'send the key of the content system as Authorization: Bearer … or X-API-Key',
        ],
      },
      unknown: {
        summary: 'An unknown code',
        path: { code: 'UNKNOWN' },
        headers: { 'X-API-Key': sample.key },
        body: { enabled: false },
        refused: ['NotFound', 'Affiliate code not found'],
      },
    },
  },
}
