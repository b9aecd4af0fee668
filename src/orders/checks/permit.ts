import { Interface } from 'ethers'
import type { Hook } from '../../domain/app-data/document.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { OrderServices } from '../check.ts'

/** Of ERC-2612, of DAI, and of tokens that take signatures of contracts. */
const permitAbi = new Interface([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
])

/** What the permit of an order is for. */
interface PermitNeed {
  token: Address
  owner: Address
  spender: Address
  needed: bigint
}

/** Most permits of one order that are called. */
const maxCalled = 2

/** Why the permits among the pre-hooks of an order leave it without an allowance; undefined if it has none, or they seem right. */
export async function faultyPermit(
  hooks: readonly Hook[],
  need: PermitNeed,
  { callHook, takeGas }: Pick<OrderServices, 'callHook' | 'takeGas'>,
): Promise<string | undefined> {
  const permits = hooks.flatMap((hook, index) => {
    const call = hook.target === need.token ? readPermit(hook) : undefined
    return call ? [{ hook, name: `its pre-hook ${index}, a permit,`, call }] : []
  })
  for (const { hook, name, call } of permits.slice(0, maxCalled)) {
    const mismatch = mismatchOf(call, need)
    if (mismatch) return `${name} ${mismatch}`
    takeGas?.(hook.gasLimit)
    const reason = await callHook(hook)
    if (reason !== undefined) return `${name} reverts: ${reason}`
  }
  return undefined
}

type Permit = Pick<PermitNeed, 'owner' | 'spender'> & { value: bigint | undefined }

function readPermit({ callData }: Hook): Permit | undefined {
  try {
    const args = permitAbi.parseTransaction({ data: callData })?.args.toObject()
    return args && { owner: address(args.owner), spender: address(args.spender), value: args.value }
  } catch {
    return undefined
  }
}

function mismatchOf({ owner, spender, value }: Permit, need: PermitNeed): string | undefined {
  if (owner !== need.owner) return `is of ${owner}, not of the owner`
  if (spender !== need.spender) return `is for the spender ${spender}`
  if (value !== undefined && value < need.needed) return `is for ${value} only`
  return undefined
}
