import { readFileSync } from 'node:fs'
import { AbiCoder, concat, toBeHex } from 'ethers'
import { createChain } from '../../src/chain/chain.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Market } from '../../src/dev/market/market.ts'
import { word } from '../../src/domain/evm/abi.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../src/domain/evm/hex.ts'
import { keccak } from '../../src/domain/evm/keccak.ts'
import type { Owner } from './resting.ts'

const held = 10n ** 30n
const atOnce = 200
/** Storage slots of `Erc20`. */
const slots = { balanceOf: 0n, allowance: 1n }

/** Gives owners the tokens that they sell and approves them; deploys the wallets' code. Mining is off. */
export async function fundOwners(rpc: Rpc, { network }: Market, owners: readonly Owner[]): Promise<void> {
  const holdings = owners.flatMap(({ address: owner, pairs }) =>
    [...new Set(pairs.map(([sell]) => sell.address))].map((token) => ({ owner, token })),
  )
  const calls = holdings.flatMap(({ owner, token }) => {
    const balance = mappingSlot(owner, word(slots.balanceOf))
    const allowances = mappingSlot(owner, word(slots.allowance))
    const allowance = mappingSlot(network.vaultRelayer, allowances.slice(2))
    return [balance, allowance].map((slot) => ({
      method: 'anvil_setStorageAt',
      params: [token, slot, toBeHex(held, 32)],
    }))
  })
  calls.push(...(await walletCalls(rpc, owners)))
  for (let start = 0; start < calls.length; start += atOnce)
    await rpc.batch(calls.slice(start, start + atOnce))
  await rpc.call('evm_mine')
  const funds = await createChain({ rpc, network }).spendable(holdings)
  if (funds.some(({ balance, allowance }) => balance < held || allowance < held))
    throw new Error('an owner of the bench was not funded')
}

function mappingSlot(key: Address, slot: string): Hex {
  return bytesToHex(keccak(hexToBytes(`0x${word(key)}${slot}`)))
}

/** Returns calls that set the wallets' code, which the constructor returns with the signer in it. */
async function walletCalls(rpc: Rpc, owners: readonly Owner[]) {
  const [signer] = owners
  const { bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as { bytecode: string }
  const data = concat([bytecode, AbiCoder.defaultAbiCoder().encode(['address'], [signer?.address])])
  const code = await rpc.call<string>('eth_call', [{ data }, 'latest'])
  return owners
    .filter(({ kind }) => kind === 'wallet')
    .map((owner) => ({ method: 'anvil_setCode', params: [owner.address, code] }))
}

const artifact = new URL('../../src/dev/contracts/artifacts/ContractWallet.json', import.meta.url)
