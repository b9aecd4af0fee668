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

/** The CREATE2 deployer of every new anvil: the address of a contract depends on salt and code alone. */
const create2Deployer = address('0x4e59b44847b379578588920cA78FbF26c0B4956C')

export const settlementAddress = address('0x9008D19f58AAbD9eD0D60971565AA8510560ab41')
export const authenticatorAddress = address('0x2c4c28DDBdAc9C5E7055b4C863b72eA0149D8aFE')
/** Created by the settlement contract. */
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

/** The salt of these contracts on every network. */
const salt = encodeBytes32String('Mattresses in Berlin!')

const deploymentNames = [
  'GPv2AllowListAuthentication_Implementation',
  'GPv2AllowListAuthentication_Proxy',
  'GPv2Settlement',
]

/** Calls of the CREATE2 deployer that put the settlement contracts at their addresses of every network. */
export function settlementDeployments(): { to: Address; data: string }[] {
  return deploymentNames.map((name) => {
    const { address: expected, abi, bytecode, args = [] } = readDeployment(name)
    const code = concat([bytecode, AbiCoder.defaultAbiCoder().encode(new Interface(abi).deploy.inputs, args)])
    if (getCreate2Address(create2Deployer, salt, keccak256(code)) !== expected) {
      throw new Error(`The package @cowprotocol/contracts holds another ${name} than the one at ${expected}.`)
    }
    return { to: create2Deployer, data: concat([salt, code]) }
  })
}

/** The contracts are under the LGPL: they come from the installed package, and are no part of Tradegraph. */
function readDeployment(name: string): Deployment {
  try {
    return createRequire(import.meta.url)(`@cowprotocol/contracts/deployments/mainnet/${name}.json`)
  } catch (cause) {
    throw new Error('The local chain needs the optional package @cowprotocol/contracts: npm install it.', {
      cause,
    })
  }
}
