import { readFileSync } from 'node:fs'
import { computeAddress, Interface, SigningKey } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import type { Artifact } from '../../src/dev/contracts/artifact.ts'
import {
  type ContractName,
  compileContracts,
  contractNames,
  embeddedFile,
  embeddedSource,
  hasArtifact,
} from '../../src/dev/contracts/compile.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { impersonate, permitHook } from '../chain/contracts.ts'
import { type Evm, startEvm } from '../setup/evm.ts'

const sources = new URL('../../src/dev/contracts/', import.meta.url)
const folder = new URL('artifacts/', sources)
const artifact = (name: string): Artifact => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
const otherAccount = address(`0x${'b0'.repeat(20)}`)

it('the committed artifacts are those that the compiler builds from the sources', () => {
  const compiled = compileContracts()
  expect(compiled.length).toBe(contractNames.length)
  for (const contract of compiled)
    if (hasArtifact(contract.contractName as ContractName))
      expect(artifact(contract.contractName)).toEqual(contract)
  expect(readFileSync(embeddedFile, 'utf8')).toBe(embeddedSource(compiled))
})

describe('on a chain', () => {
  let evm: Evm
  beforeAll(async () => {
    evm = await startEvm()
  })
  afterAll(() => evm[Symbol.asyncDispose]())

  const at = (where: Address, { abi }: Artifact) => {
    const contract = new Interface(abi)
    return {
      address: where,
      write: (method: string, args: unknown[]) =>
        evm.send({ to: where, data: contract.encodeFunctionData(method, args) }),
      read: async (method: string, args: unknown[] = []): Promise<unknown> => {
        const call = { to: where, data: contract.encodeFunctionData(method, args) }
        return contract.decodeFunctionResult(method, await evm.rpc.call('eth_call', [call, 'latest']))[0]
      },
    }
  }
  const deployToken = (contract: string) =>
    evm.deploy(artifact(contract), ['string', 'string', 'uint8'], ['Name', 'SYM', 6])

  it('the fee token burns one percent of each transfer', async () => {
    const token = await deployToken('FeeToken')
    await token.write('mint', [evm.account, 1_050n])
    await token.write('transfer', [otherAccount, 250n])
    expect(await token.read('balanceOf', [otherAccount])).toBe(248n)
    expect(await token.read('balanceOf', [evm.account])).toBe(800n)
    expect(await token.read('totalSupply')).toBe(1_048n)
  })

  it('a transfer is limited by the allowance, and an unlimited allowance is not reduced', async () => {
    const token = await deployToken('TestToken')
    await token.write('mint', [otherAccount, 100n])
    await evm.rpc.call('anvil_impersonateAccount', [otherAccount])
    await evm.rpc.call('anvil_setBalance', [otherAccount, toQuantity(10n ** 18n)])
    await token.write('approve', [evm.account, 10n], otherAccount)
    await expect(token.write('transferFrom', [otherAccount, evm.account, 11n])).rejects.toThrow('reverted')
    await token.write('transferFrom', [otherAccount, evm.account, 4n])
    expect(await token.read('allowance', [otherAccount, evm.account])).toBe(6n)
    await token.write('approve', [evm.account, 2n ** 256n - 1n], otherAccount)
    await token.write('transferFrom', [otherAccount, evm.account, 96n])
    expect(await token.read('allowance', [otherAccount, evm.account])).toBe(2n ** 256n - 1n)
    expect(await token.read('balanceOf', [evm.account])).toBe(100n)
  })

  it('the pool of a pair pays exactly up to the constant product of its reserves', async () => {
    const [a, b] = [await deployToken('TestToken'), await deployToken('TestToken')]
    const factory = await evm.deploy(artifact('PoolFactory'))
    await factory.write('createPair', [a.address, b.address])
    await expect(factory.write('createPair', [b.address, a.address])).rejects.toThrow('reverted')
    const where = address(String(await factory.read('getPair', [b.address, a.address])))
    expect(await factory.read('allPairsLength')).toBe(1n)
    expect(await factory.read('allPairs', [0n])).toEqual(
      await factory.read('getPair', [a.address, b.address]),
    )

    const pool = at(where, artifact('Pool'))
    const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
    expect(await pool.read('token0').then(String).then(address)).toBe(token0.address)
    await token0.write('mint', [where, 1_000_000n])
    await token1.write('mint', [where, 4_000_000n])
    await pool.write('mint', [evm.account])
    expect(await pool.read('getReserves')).toBe(1_000_000n)

    await token0.write('mint', [where, 10_000n])
    // 4000000 · 9970 / (1000000 + 9970), rounded down
    await expect(pool.write('swap', [0n, 39_487n, otherAccount, '0x'])).rejects.toThrow('reverted')
    await pool.write('swap', [0n, 39_486n, otherAccount, '0x'])
    expect(await token1.read('balanceOf', [otherAccount])).toBe(39_486n)
    expect(await pool.read('getReserves')).toBe(1_010_000n)
    await expect(pool.write('swap', [1n, 0n, otherAccount, '0x'])).rejects.toThrow('reverted')
  })

  it('the contract wallet calls and signs for its owner until it is closed', async () => {
    const key = new SigningKey(`0x${'0a'.repeat(32)}`)
    const owner = address(computeAddress(key))
    await impersonate(evm.rpc, owner)
    const token = await deployToken('TestToken')
    const wallet = await evm.deploy(artifact('ContractWallet'), ['address'], [owner])
    const approve = new Interface(artifact('TestToken').abi).encodeFunctionData('approve', [otherAccount, 9n])
    await expect(wallet.write('execute', [token.address, 0n, approve])).rejects.toThrow('reverted')
    await wallet.write('execute', [token.address, 0n, approve], owner)
    expect(await token.read('allowance', [wallet.address, otherAccount])).toBe(9n)

    const [digest, other] = [`0x${'d1'.repeat(32)}`, `0x${'d2'.repeat(32)}`]
    const verdict = (signature: string) => wallet.read('isValidSignature', [digest, signature])
    expect(await verdict(key.sign(digest).serialized)).toBe('0x1626ba7e')
    expect(await verdict(key.sign(other).serialized)).toBe('0xffffffff')
    expect(await verdict('0x')).toBe('0xffffffff')
    await expect(wallet.write('close', [])).rejects.toThrow('reverted')
    await wallet.write('close', [], owner)
    expect(await verdict(key.sign(digest).serialized)).toBe('0xffffffff')
  })

  it('a permit of the owner sets the allowance, and is valid once', async () => {
    const key = new SigningKey(`0x${'0b'.repeat(32)}`)
    const owner = computeAddress(key)
    const token = await evm.deploy(artifact('TestToken'), ['string', 'string', 'uint8'], ['Token', 'TKN', 18])
    const hook = permitHook({ chainId: 31337, token: token.address }, key, otherAccount, 5n)
    const permit = { to: hook.target, data: hook.callData }
    await evm.send(permit)
    expect(await token.read('allowance', [owner, otherAccount])).toBe(5n)
    expect(await token.read('nonces', [owner])).toBe(1n)
    await expect(evm.send(permit)).rejects.toThrow('reverted')
  })

  it('the wrapped token wraps the native coin one for one, also when only its code was set', async () => {
    const wrapped = at(address(`0x${'ee'.repeat(19)}01`), artifact('WrappedNative'))
    await evm.rpc.call('anvil_setCode', [wrapped.address, artifact('WrappedNative').deployedBytecode])
    const deposit = { to: wrapped.address, data: '0x', value: toQuantity(500n) }
    await evm.send(deposit)
    await wrapped.write('withdraw', [200n])
    expect(await wrapped.read('balanceOf', [evm.account])).toBe(300n)
    expect(await wrapped.read('totalSupply')).toBe(300n)
    expect(await wrapped.read('symbol')).toBe('WETH')
    await expect(wrapped.write('withdraw', [301n])).rejects.toThrow('reverted')
  })
})
