/**
 * The selectors of calls that give another account a lasting right to the settlement contract's tokens.
 * Engines name allowances instead, which end with the settlement: `approve`, `increaseAllowance`,
 * `increaseApproval`, `approveAndCall` of two kinds, `authorizeOperator`, `setApprovalForAll`, `approve` of
 * Permit2, `setPreSignature`.
 */
export const lastingRights: ReadonlySet<string> = new Set([
  '0x095ea7b3',
  '0x39509351',
  '0xd73dd623',
  '0xcae9ca51',
  '0x3177029f',
  '0x959b8c3f',
  '0xa22cb465',
  '0x87517c45',
  '0xec6cb13f',
])
