import { type Explanation, outcomes, wait, waitAndSearch } from './explanation.ts'
import type { RefusalCode } from './refusal-codes.ts'

/** An error of a wallet, browser or node. It has no code of the service. */
export interface ForeignError extends Explanation {
  title: string
}

/** Phrases in lower case, without punctuation, separated by commas. A star stands for any word. */
interface Phrases {
  /** Phrases that identify the error in any text. */
  sure?: string
  /** Phrases that identify the error unless the rest of the text describes an error of the service. */
  likely?: string
  /** Phrases that identify the error if the text has nothing else. */
  alone?: string
  /** Errors of the service that the phrases also match, unless they are `sure`. */
  codes?: readonly RefusalCode[]
}

type ForeignRow = readonly [ForeignError, Phrases]

const notSent = 'This transaction was not sent: it approved, wrapped and cancelled nothing.'

const pasteRest = 'Paste the rest of the message too: it often has the cause.'
const lookForCause = `${pasteRest} See that the account holds the tokens, and some of the network’s own coin for gas.`

/** The errors in order of precedence: the first match counts. */
export const foreignErrors: readonly ForeignRow[] = [
  [
    {
      title: 'Rejected in the wallet',
      meaning: 'The wallet’s question was answered with no, or its window was closed.',
      advice: 'If you did not mean that, try again and confirm it in the wallet.',
      outcome: 'Nothing was signed or sent: this placed, cancelled and approved nothing.',
    },
    {
      sure: 'user rejected, user denied, user declined, user disapproved, user cancelled the request, user canceled the request, user closed modal, modal closed by user, rejected by user, rejected by the user, denied by user, denied by the user, action cancelled by user, action rejected, userrejectedrequesterror, code 4001',
      alone: '4001, user cancelled, user canceled, cancelled by user, canceled by user',
    },
  ],
  [
    {
      title: 'The wallet waits for you',
      meaning: 'An earlier question of the page is still open in the wallet.',
      advice:
        'Open the wallet, and confirm or reject what waits there. If it shows nothing, lock and unlock it, then load the page again.',
      outcome: 'Until you confirm it there nothing is signed, and no order is placed.',
    },
    {
      sure: 'request already pending, already pending for origin, already processing eth requestaccounts',
      likely: 'code 32002',
      alone: '-32002',
    },
  ],
  [
    {
      title: 'Too little coin for gas',
      meaning:
        'The account has too little of the network’s own coin, such as ETH, to pay for a transaction: its gas, and the coins that it sends.',
      advice: 'Move some of that coin to the account, on the same network, then try again.',
      outcome: `${notSent} An ordinary account that sells a token places the order by a signature, which costs no gas. A smart wallet, or who sells the coin itself, may need a transaction.`,
    },
    {
      sure: 'insufficient * for gas, enough * for gas, enough * to pay for gas, enough * to cover gas, enough * to cover the network fee, enough * to pay for network fees, enough * to pay for transaction fees, enough * in your account to pay for, funds to pay for gas, funds to cover gas, funds to cover the gas, token for gas, balance too low for gas, upfront cost exceeds, insufficient funds for intrinsic transaction cost, insufficient funds for transfer, insufficient eth, not enough eth, sender doesn t have enough funds, executing this transaction exceeds the balance, code insufficient funds',
      alone: 'insufficient funds, insufficient_funds',
      codes: ['InsufficientBalance'],
    },
  ],
  [
    {
      title: 'Nonce too low',
      meaning:
        'The wallet gave the transaction a number (its nonce) that another transaction of the account has used.',
      advice:
        'Wait until earlier transactions are through, then try again. If it stays, reset the account’s activity in the settings of the wallet.',
      outcome: `${notSent} The earlier one with its number counts: the wallet lists it.`,
    },
    { sure: 'nonce too low, nonce has already been used, nonce expired, lower than the current nonce' },
  ],
  [
    {
      title: 'Replacement underpriced',
      meaning:
        'Another transaction with the same number (its nonce) still waits, and this one offers too little more for gas to take its place.',
      advice:
        'Wait until the other one is through, or speed it up or cancel it in the wallet, with a clearly higher gas price.',
      outcome: 'This transaction was not taken: the other one still waits.',
    },
    { sure: 'replacement transaction underpriced, replacement underpriced, replacement fee too low' },
  ],
  [
    {
      title: 'Gas price too low',
      meaning: 'The transaction offers a lower gas price than the network takes at the moment.',
      advice: 'Send it again with the gas price that the wallet suggests.',
      outcome: notSent,
    },
    {
      sure: 'transaction underpriced, less than block base fee, cannot be lower than the block base fee',
    },
  ],
  [
    {
      title: 'Wrong network',
      meaning:
        'The wallet is set to another network than the one that it was asked for, or does not know that one.',
      advice: 'Choose the network of the order in the wallet, then try again.',
      outcome:
        'Wallets usually refuse this before they sign or send anything. To be sure that no order was placed, search for your account.',
    },
    {
      sure: 'wrong network, wrong chain, invalid chain id, chainid mismatch, unsupported chain, unsupported network, unsupportedchainiderror, chain mismatch, chainmismatcherror, network mismatch, does not match the target chain, must match the active chainid, chain not configured, unrecognized chain id, not connected to the requested chain, network changed, code 4902',
      alone: '4902',
    },
  ],
  [
    {
      title: 'The server was not reached',
      meaning: 'The page or the wallet could not reach a server, or the browser kept its answer back.',
      advice: `Check the connection to the internet, and what may block it, such as an ad blocker or a VPN. ${waitAndSearch}`,
      outcome: outcomes.unknown,
    },
    {
      sure: 'failed to fetch, networkerror when attempting to fetch resource, load failed, fetch failed, network error, network request failed, err network, err internet disconnected, econnrefused, econnreset, connection refused, could not detect network, internet connection appears to be offline, rpc endpoint returned too many errors',
    },
  ],
  [
    {
      title: 'No answer in time',
      meaning: 'Something that was asked did not answer in time.',
      advice: waitAndSearch,
      outcome: outcomes.unknown,
    },
    {
      sure: 'request timed out, connection timed out, operation timed out, request timeout, timeout exceeded, took too long to respond, signal timed out, due to timeout, etimedout, code timeout',
      likely: 'timeout of',
      alone: 'timeout, timed out, time out',
    },
  ],
  [
    {
      title: 'Fault of the wallet or its node',
      meaning: 'The wallet, or the node of the network that it asks, failed. The words do not say of what.',
      advice: `${pasteRest} ${waitAndSearch}`,
      outcome: outcomes.unknown,
    },
    { likely: 'internal json rpc error', alone: '-32603' },
  ],
  [
    {
      title: 'Gas cannot be estimated',
      meaning: 'The wallet tried the transaction before it was sent, and the trial failed.',
      advice: lookForCause,
      outcome: notSent,
    },
    { likely: 'gas required exceeds allowance, cannot estimate gas, unpredictable gas limit' },
  ],
  [
    {
      title: 'Execution reverted',
      meaning: 'A transaction, or a trial of one before it was sent, failed in a contract.',
      advice: lookForCause,
      outcome:
        'A transaction that reverts does nothing, but costs gas if it was sent. An order that was placed before may still be filled.',
    },
    {
      likely:
        'execution reverted, transaction reverted, processing transaction revert, call exception, call revert exception, missing revert data, out of gas',
      alone: 'simulationfailed, simulation failed',
      codes: ['TransferSimulationFailed'],
    },
  ],
]

const refused = `${outcomes.any} An order that was placed before may still be filled.`
const pasteAll =
  'Paste the rest of the message too, above all the word after “errorType” or “code”: it says what is wrong.'

interface Status extends Explanation {
  words: string
  /** Other phrases that servers use. */
  heard?: string
  /** True if the phrases are also used for other errors. */
  isCommon?: boolean
  codes?: readonly RefusalCode[]
}

/**
 * Statuses of any server: wallets and programs that show only the status do not reveal which server answered.
 */
const statuses: Readonly<Record<number, Status>> = {
  400: {
    words: 'Bad Request',
    meaning: 'A server did not accept a request. Many errors have this status.',
    advice: pasteAll,
    outcome: refused,
  },
  403: {
    words: 'Forbidden',
    isCommon: true,
    meaning: 'A server refuses the request, for the account or for the place that it comes from.',
    advice: pasteAll,
    outcome: refused,
    codes: ['Forbidden'],
  },
  404: {
    words: 'Not Found',
    isCommon: true,
    meaning: 'A server has nothing where it was asked to look, such as no order with this id.',
    advice: pasteAll,
    outcome: refused,
  },
  429: {
    words: 'Too Many Requests',
    meaning: 'A server was asked too often in a short time.',
    advice: wait,
    outcome: refused,
    codes: ['RateLimited'],
  },
  500: {
    words: 'Internal Server Error',
    meaning: 'A server made a mistake of its own.',
    advice: `${pasteAll} ${waitAndSearch}`,
    outcome: outcomes.unknown,
    codes: ['InternalServerError'],
  },
  502: {
    words: 'Bad Gateway',
    meaning: 'A server passed the request on, and got no answer that it understands.',
    advice: waitAndSearch,
    outcome: outcomes.unknown,
  },
  503: {
    words: 'Service Unavailable',
    heard: 'service temporarily unavailable',
    meaning: 'A server cannot answer for the moment.',
    advice: `${pasteAll} ${waitAndSearch}`,
    outcome: outcomes.unknown,
    codes: ['Unavailable'],
  },
  504: {
    words: 'Gateway Timeout',
    heard: 'gateway time out',
    meaning: 'A server passed the request on, and got no answer in time.',
    advice: waitAndSearch,
    outcome: outcomes.unknown,
  },
}

export const statusRows = Object.entries(statuses).map(([number, status]): ForeignRow => {
  const { words, heard, isCommon = false, codes = [], ...said } = status
  const phrase = words.toLowerCase()
  const phrases = isCommon
    ? { alone: [number, phrase, `${number} ${phrase}`, `${phrase} ${number}`].join(', ') }
    : { alone: number, likely: heard === undefined ? phrase : `${phrase}, ${heard}` }
  return [
    { title: `HTTP status ${number}: ${words}`, ...said },
    { ...phrases, codes },
  ]
})
