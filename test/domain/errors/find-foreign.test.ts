import { describe, expect, test } from 'vitest'
import { findErrors } from '../../../src/domain/errors/find-errors.ts'
import { foreignErrors, statusRows } from '../../../src/domain/errors/foreign-errors.ts'
import { messages } from './messages.ts'

const answerTo = (text: string) => {
  const { foreign, errors } = findErrors(text)
  return [...(foreign ? [foreign.title] : []), ...errors.map(({ code }) => code)]
}

const [rejected, waits, gas] = [
  'Rejected in the wallet',
  'The wallet waits for you',
  'Too little coin for gas',
]
const [nonce, replacement, gasPrice] = ['Nonce too low', 'Replacement underpriced', 'Gas price too low']
const [network, reached, inTime] = ['Wrong network', 'The server was not reached', 'No answer in time']
const [fault, estimate, reverted] = [
  'Fault of the wallet or its node',
  'Gas cannot be estimated',
  'Execution reverted',
]
const typedData =
  '"types":{"Order":[{"name":"sellToken","type":"address"},{"name":"sellTokenBalance","type":"string"},{"name":"feeAmount","type":"uint256"}]}'
const called =
  'Request Arguments:\n  from: 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266\n  to: 0x70997970c51812dc3a010c7d01b50e0d17dc79c8\n  data: 0x095ea7b3'

describe('the text of a wallet, a browser or a node', () => {
  test.each([
    ['user rejected the request', rejected],
    [
      'User rejected the request.\n\nDetails: MetaMask Tx Signature: User denied transaction signature.',
      rejected,
    ],
    ['MetaMask Message Signature: User denied message signature.', rejected],
    ['ACTION_REJECTED', rejected],
    [
      `user rejected action (action="signTypedData", reason="rejected", info={ ${typedData} }, code=ACTION_REJECTED)`,
      rejected,
    ],
    ['{"code":4001,"message":"MetaMask: nope"}', rejected],
    ['4001', rejected],
    ['User cancelled', rejected],
    ['Modal closed by user', rejected],
    ['Ledger device: Condition of use not satisfied (denied by the user?) (0x6985)', rejected],
    ['Request already pending', waits],
    ['-32002', waits],
    ['{"code":-32002,"message":"Already processing eth_requestAccounts. Please wait."}', waits],
    [
      `Request of type 'wallet_requestPermissions' already pending for origin https://a.example. Please wait.`,
      waits,
    ],
    ['insufficient funds for gas * price + value', gas],
    ['err: insufficient funds for gas * price + value: address 0xab have 0 want 21000', gas],
    ['insufficient funds for intrinsic transaction cost', gas],
    ['Not enough xDAI for gas', gas],
    ['Insufficient native token for gas fees', gas],
    ['Insufficient funds to cover the gas fees', gas],
    ['Not enough ETH to cover the network fee', gas],
    ['You do not have enough ETH in your account to pay for network fees', gas],
    ['Sender balance too low for gas', gas],
    ['Upfront cost exceeds account balance', gas],
    ['insufficient funds (transaction={ "to": "0xab" }, code=INSUFFICIENT_FUNDS, version=6.8.0)', gas],
    [
      `The total cost (gas * gas fee + value) of executing this transaction exceeds the balance of the account.\n\n${called}`,
      gas,
    ],
    ['Failed to fetch', reached],
    ['TypeError: NetworkError when attempting to fetch resource.', reached],
    ['TypeError: Load failed', reached],
    ['Network Error', reached],
    ['connect ECONNREFUSED 127.0.0.1:4000', reached],
    ['{"code":-32002,"message":"RPC endpoint returned too many errors, retrying in 0.5 minutes."}', reached],
    ['timeout', inTime],
    ['Error: Timed out', inTime],
    ['TimeoutError: signal timed out', inTime],
    ['timeout of 10000ms exceeded', inTime],
    ['The request took too long to respond.\n\nDetails: The request timed out.', inTime],
    ['wrong network', network],
    ['Unsupported chain', network],
    ['Wrong chain', network],
    ['invalid chain id for signer', network],
    ['chain mismatch', network],
    [
      'The current chain of the wallet (id: 1) does not match the target chain for the transaction (id: 10).',
      network,
    ],
    ['Provided chainId "1" must match the active chainId "100"', network],
    ['Unrecognized chain ID "0x64". Try adding the chain using wallet_addEthereumChain first.', network],
    ['nonce too low', nonce],
    ['nonce has already been used (code=NONCE_EXPIRED)', nonce],
    ['replacement transaction underpriced', replacement],
    ['replacement fee too low (code=REPLACEMENT_UNDERPRICED)', replacement],
    ['transaction underpriced', gasPrice],
    ['max fee per gas less than block base fee: address 0xab', gasPrice],
    ['Internal JSON-RPC error.', fault],
    ['gas required exceeds allowance (0)', estimate],
    ['UNPREDICTABLE_GAS_LIMIT', estimate],
    ['missing revert data (action="estimateGas", code=CALL_EXCEPTION)', reverted, 'TransferSimulationFailed'],
    ['VM Exception while processing transaction: revert', reverted, 'TransferSimulationFailed'],
    ['out of gas', reverted, 'TransferSimulationFailed'],
    ['execution reverted: GS013', reverted, 'TransferSimulationFailed'],
    [`Execution reverted for an unknown reason.\n\n${called}`, reverted, 'TransferSimulationFailed'],
    ['insufficient funds', gas, 'InsufficientBalance'],
    ['INSUFFICIENT_FUNDS', gas, 'InsufficientBalance'],
  ])('%s', (text, ...found) => {
    expect(answerTo(text)).toEqual(found)
    expect(answerTo(text.toUpperCase())).toEqual(found)
  })

  test.each([
    ['Bad Request', 'HTTP status 400: Bad Request'],
    ['400', 'HTTP status 400: Bad Request'],
    ['Request failed with status code 400', 'HTTP status 400: Bad Request'],
    ['403', 'HTTP status 403: Forbidden', 'Forbidden'],
    [
      'Failed to load resource: the server responded with a status of 403 (Forbidden)',
      'HTTP status 403: Forbidden',
      'Forbidden',
    ],
    ['Failed to load resource: the server responded with a status of 404 ()', 'HTTP status 404: Not Found'],
    ['403 Forbidden', 'HTTP status 403: Forbidden', 'Forbidden'],
    ['Forbidden', 'HTTP status 403: Forbidden', 'Forbidden'],
    ['404', 'HTTP status 404: Not Found'],
    ['404 Not Found', 'HTTP status 404: Not Found'],
    ['HTTP 429', 'HTTP status 429: Too Many Requests', 'RateLimited'],
    ['Too Many Requests', 'HTTP status 429: Too Many Requests', 'RateLimited'],
    ['Internal Server Error', 'HTTP status 500: Internal Server Error', 'InternalServerError'],
    ['Error 500', 'HTTP status 500: Internal Server Error', 'InternalServerError'],
    ['503 Service Temporarily Unavailable', 'HTTP status 503: Service Unavailable', 'Unavailable'],
    ['503', 'HTTP status 503: Service Unavailable', 'Unavailable'],
    ['502 Bad Gateway', 'HTTP status 502: Bad Gateway'],
    ['504 Gateway Time-out', 'HTTP status 504: Gateway Timeout'],
    ['Gateway Timeout', 'HTTP status 504: Gateway Timeout'],
  ])('%s is the status of an answer, and says no more', (text, ...found) => {
    expect(answerTo(text)).toEqual(found)
  })

  test.each([
    ['execution reverted: ERC20: transfer amount exceeds balance', 'InsufficientBalance'],
    [
      'cannot estimate gas (error={"message":"execution reverted: ERC20: transfer amount exceeds allowance"})',
      'InsufficientAllowance',
    ],
    ['400 Bad Request {"errorType":"InsufficientBalance"}', 'InsufficientBalance'],
    ['400 Bad Request: validTo must be at least 60 s from now', 'InsufficientValidTo'],
    ['{"errorType":"BadRequest"}', 'BadRequest'],
    ['{"errorType":"Forbidden","description":"0xab may not trade here"}', 'Forbidden'],
    ['not enough funds', 'InsufficientBalance'],
    ['insufficient WETH balance', 'InsufficientBalance'],
    ['insufficient balance to cover the order', 'InsufficientBalance'],
    ['insufficient sell amount to cover network fees', 'SellAmountDoesNotCoverFee'],
    ['the order was cancelled by user', 'AlreadyCancelled'],
    ['ERC20: insufficient allowance', 'InsufficientAllowance'],
    ['there was no answer in time: try again, or give more time', 'Unavailable'],
  ])('%s is an error of the service alone', (text, code) => {
    expect(answerTo(text)).toEqual([code])
  })

  test.each([
    'I sold 400 USDC',
    'how do I pay for gas',
    'Transaction rejected',
    'user cancelled the order',
    '404 WETH for 503 USDC',
    'the user of this wallet',
    'my order has a timeout',
    'which network is it on',
    'what is a nonce',
    'the address was not found',
    '40010',
    '32002',
    'Nicht genug Guthaben',
    '余额不足',
    'Недостаточно средств',
  ])('%s is none', (text) => {
    const { foreign, errors, isGuess } = findErrors(text)
    expect([foreign, isGuess ? [] : errors]).toEqual([undefined, []])
  })

  test.each([
    '{"errorType":"CustomSolverError","description":"user rejected the request. Nothing was sold"}',
    '{"message":"user rejected the request","extensions":{"code":"CustomSolverError"}}',
    String.raw`HTTP 400: "{\"errorType\" : \"CustomSolverError\",\"description\":\"InvalidSignature: user denied\"}"`,
  ])('next to a code of the service explains that code first: %s', (text) => {
    const { foreign, errors } = findErrors(text)
    expect([foreign, errors[0]?.code]).toEqual([undefined, 'CustomSolverError'])
  })

  test('is no message of the service, but one', () => {
    const taken = messages.filter(([, message]) => findErrors(message).foreign)
    expect(taken).toEqual([['InternalServerError', 'Internal server error']])
  })

  test('is explained in sentences, each title once', () => {
    const errors = [...foreignErrors, ...statusRows].map(([error]) => error)
    for (const { meaning, advice, outcome } of errors)
      for (const text of [meaning, advice, outcome]) expect(text).toMatch(/^[A-Z].{10,}\.$/)
    expect(new Set(errors.map(({ title }) => title)).size).toBe(errors.length)
  })

  test('of gas says what costs none', () => {
    expect(findErrors('insufficient funds for gas').foreign).toMatchObject({
      meaning: expect.stringContaining('too little of the network’s own coin, such as ETH'),
      outcome: expect.stringMatching(/places the order by a signature, which costs no gas\./),
    })
  })
})
