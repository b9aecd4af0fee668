import { createRequire } from 'node:module'
import {
  AbiCoder,
  concat,
  encodeBytes32String,
  getCreate2Address,
  Interface,
  type InterfaceAbi,
  keccak256,
} from 'ethers'
import { type Address, address } from '../../domain/evm/address.ts'

/** Puts what it is sent at an address that depends on nothing but that; part of every new anvil. */
export const create2Deployer = address('0x4e59b44847b379578588920cA78FbF26c0B4956C')

export const settlementAddress = address('0x9008D19f58AAbD9eD0D60971565AA8510560ab41')
export const authenticatorAddress = address('0x2c4c28DDBdAc9C5E7055b4C863b72eA0149D8aFE')
/** The settlement contract creates it. */
export const vaultRelayerAddress = address('0xC92E8bdf79f0507f65a392b0ab4667716BFE0110')

export const authenticatorAbi = new Interface([
  'function manager() view returns (address)',
  'function addSolver(address solver)',
  'function isSolver(address solver) view returns (bool)',
])

interface Deployment {
  address: string
  abi: Exclude<InterfaceAbi, string>
  bytecode: string
  args?: unknown[]
}

/** The salt under which the contracts were deployed on every network. */
const salt = encodeBytes32String('Mattresses in Berlin!')

const inOrder = [
  'GPv2AllowListAuthentication_Implementation',
  'GPv2AllowListAuthentication_Proxy',
  'GPv2Settlement',
]

/** Calls of the CREATE2 deployer that give the real settlement contracts their addresses of every network. */
export function settlementDeployments(): { to: Address; data: string }[] {
  return inOrder.map((name) => {
    const { address: expected, abi, bytecode, args = [] } = readDeployment(name)
    const code = concat([bytecode, AbiCoder.defaultAbiCoder().encode(new Interface(abi).deploy.inputs, args)])
    if (getCreate2Address(create2Deployer, salt, keccak256(code)) !== expected) {
      throw new Error(`The package @cowprotocol/contracts holds another ${name} than the one at ${expected}.`)
    }
    return { to: create2Deployer, data: concat([salt, code]) }
  })
}

/** They are under the LGPL: loaded from the installed package, never part of this one. */
function readDeployment(name: string): Deployment {
  try {
    return createRequire(import.meta.url)(`@cowprotocol/contracts/deployments/mainnet/${name}.json`)
  } catch (cause) {
    throw new Error('The local chain needs the optional package @cowprotocol/contracts: npm install it.', {
      cause,
    })
  }
}
