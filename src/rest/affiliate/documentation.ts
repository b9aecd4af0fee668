import { affiliateSwitch, registerAffiliateInput } from '../../graphql/affiliate/input.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { affiliate, referralCode, registeredAffiliate, switchedCode } from './schema.ts'

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
      'For good: a wallet has one code, and a code one wallet. The wallet signs `AffiliateCode(address walletAddress,string code,uint256 chainId)` with chainId 1, whatever the chain, under a domain of name `Service Affiliate` and version `1` and nothing else (a deployment can have another name: `affiliateTypedData` of /graphql returns what to sign). Signatures of keys, of contract wallets (ERC-1271) and of those not yet deployed (ERC-6492) are accepted.',
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
        summary: 'Another code than was signed',
        path: { wallet: sample.trader },
        body: { ...registration, code: 'LOCAL-SECOND' },
        refused: ['InvalidAffiliateSignature', 'Affiliate has invalid signature'],
      },
    },
  },
  'GET /affiliate/:wallet': {
    id: 'affiliate',
    summary: 'The affiliate of a wallet',
    description: 'Also while its code is switched off.',
    answers: {
      200: { description: 'Its code, and the programme as it was when it registered.', schema: affiliate },
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
        summary: 'No address',
        path: { wallet: '0x12' },
        refused: ['InvalidParameter', 'wallet must be an address: 20 bytes of hex with 0x in front'],
      },
    },
  },
  'GET /ref-codes/:code': {
    id: 'referralCode',
    summary: 'A code as a trader sees it',
    answers: { 200: { description: 'What the trader gets, and for what.', schema: referralCode } },
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
        summary: 'Small letters',
        path: { code: 'local-first' },
        refused: ['InvalidParameter', 'code must be 5 to 20 characters of A-Z, 0-9, _ and -'],
      },
    },
  },
  'PUT /ref-codes/:code': {
    id: 'switchReferralCode',
    summary: 'Switch a code on or off',
    body: affiliateSwitch,
    answers: { 200: { description: 'As it is now.', schema: switchedCode } },
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
