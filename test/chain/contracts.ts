import { readFileSync } from 'node:fs'
import { AbiCoder, computeAddress, Interface, type SigningKey, TypedDataEncoder } from 'ethers'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import type { Artifact } from '../../src/dev/contracts/artifact.ts'
import type { Hook } from '../../src/domain/app-data/document.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Evm } from '../setup/evm.ts'

const folder = new URL('../../src/dev/contracts/artifacts/', import.meta.url)

export function readArtifact(name: string): Artifact {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
}

export type DeployedToken = Awaited<ReturnType<typeof deployToken>>

export function deployToken(evm: Evm, contract: 'TestToken' | 'FeeToken' = 'TestToken') {
  return evm.deploy(readArtifact(contract), ['string', 'string', 'uint8'], ['Token', 'TKN', 18])
}

/** A contract wallet at a chosen address, for which `owner` signs. */
export const putWallet = (rpc: Rpc, at: Address, owner: Address) => put(rpc, 'ContractWallet', at, owner)

export const putTrampoline = (rpc: Rpc, at: Address, settlement: Address) =>
  put(rpc, 'HooksTrampoline', at, settlement)

/** Sets the runtime code directly: these two contracts store nothing. */
async function put(rpc: Rpc, name: string, at: Address, argument: Address): Promise<void> {
  const data = `${readArtifact(name).bytecode}${AbiCoder.defaultAbiCoder().encode(['address'], [argument]).slice(2)}`
  await rpc.call('anvil_setCode', [at, await rpc.call<Hex>('eth_call', [{ data }, 'latest'])])
}

/** Lets `send` and `write` act for an account without a known key. */
export async function impersonate(rpc: Rpc, account: Address): Promise<void> {
  await rpc.call('anvil_setBalance', [account, toQuantity(10n ** 20n)])
  await rpc.call('anvil_impersonateAccount', [account])
}

const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
}
const permitAbi = new Interface([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])

/** An account's first approval of a token of `deployToken`, as a hook that any caller may run. */
export function permitHook(
  { chainId, token, name = 'Token' }: { chainId: number; token: Address; name?: string },
  key: SigningKey,
  spender: Address,
  value: bigint,
): Hook {
  const permit = { owner: computeAddress(key), spender, value, nonce: 0n, deadline: 2n ** 40n }
  const domain = { name, version: '1', chainId, verifyingContract: token }
  const { v, r, s } = key.sign(TypedDataEncoder.hash(domain, permitTypes, permit))
  const values = [permit.owner, spender, value, permit.deadline, v, r, s]
  return {
    target: token,
    callData: permitAbi.encodeFunctionData('permit', values) as Hex,
    gasLimit: 100_000n,
  }
}

const magic = `7f1626ba7e${'00'.repeat(28)}`
const answerWord = '60005260206000f3'

/** Code of hostile wallets, or of contracts that are no wallets. Each answers every call alike. */
export const hostileWallets: Record<string, Hex> = {
  'uses up all gas at once': '0xfe',
  'runs until its gas is used up': '0x5b600056',
  reverts: '0x60006000fd',
  'reverts with 256 kilobytes': '0x620400006000fd',
  'returns nothing': '0x00',
  'returns 256 kilobytes of nothing': '0x620400006000f3',
  'returns the magic word and no more than its four bytes': `0x${magic}60005260046000f3`,
  'answers another word': `0x63ffffffff60e01b${answerWord}`,
  'answers true': `0x6001${answerWord}`,
  'answers the magic word and more in the same word': `0x${magic}600117${answerWord}`,
}

/** Accepts, and returns 256 kilobytes more. */
export const wordyWallet: Hex = `0x${magic}600052620400006000f3`

/** Accepts in blocks before this one. */
export function validBefore(block: number): Hex {
  return `0x63${block.toString(16).padStart(8, '0')}4310${magic}02${answerWord}`
}

/** Accepts from this caller alone. */
export function validFor(caller: Address): Hex {
  return `0x73${caller.slice(2)}3314${magic}02${answerWord}`
}

/**
 * A token that every account holds and has approved without limit, and whose `transferFrom` reverts with this
 * word and zeros.
 */
export function frozenToken(word: bigint, size = 32): Hex {
  const isTransfer = '60003560e01c6323b872dd14'
  const plenty = `7f${'ff'.repeat(32)}${answerWord}`
  const refuse = `5b7f${word.toString(16).padStart(64, '0')}60005261${size.toString(16).padStart(4, '0')}6000fd`
  const target = (isTransfer.length + plenty.length) / 2 + 3
  return `0x${isTransfer}60${target.toString(16).padStart(2, '0')}57${plenty}${refuse}`
}
