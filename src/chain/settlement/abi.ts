import { Interface } from 'ethers'

const trade = [
  'uint256 sellTokenIndex',
  'uint256 buyTokenIndex',
  'address receiver',
  'uint256 sellAmount',
  'uint256 buyAmount',
  'uint32 validTo',
  'bytes32 appData',
  'uint256 feeAmount',
  'uint256 flags',
  'uint256 executedAmount',
  'bytes signature',
].join(', ')

/** The functions and events of the settlement contract that the service uses. */
export const settlementAbi = new Interface([
  `function settle(address[] tokens, uint256[] clearingPrices, (${trade})[] trades, (address target, uint256 value, bytes callData)[][3] interactions)`,
  'function setPreSignature(bytes orderUid, bool signed)',
  'function invalidateOrder(bytes orderUid)',
  'function filledAmount(bytes orderUid) view returns (uint256)',
  'function preSignature(bytes orderUid) view returns (uint256)',
  'function domainSeparator() view returns (bytes32)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event Settlement(address indexed solver)',
  'event OrderInvalidated(address indexed owner, bytes orderUid)',
  'event PreSignature(address indexed owner, bytes orderUid, bool signed)',
])
