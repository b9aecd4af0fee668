import { z } from 'zod'
import { defaultHooksTrampoline, ethFlowOf, settlementPairs } from '../domain/network/network.ts'
import { signingTermsOf } from '../domain/signing/signing.ts'
import type { Operations, WrittenExample } from './openapi/operation.ts'
import { plainText } from './openapi/primitives.ts'
import { fieldSchema, selected } from './openapi/selected.ts'

const unknownNetwork = 'there is no network atlantis, but sepolia'

const elsewhere: WrittenExample = {
  summary: 'A network that is not served',
  path: { network: 'atlantis' },
  refused: ['NotFound', unknownNetwork],
}

export const aboutText = 'The program and its version.'

export const about = z.object({
  name: z.string().meta({ description: 'The program.' }),
  version: fieldSchema('Query.version'),
  gitCommitHash: z.string().optional().meta({ description: 'Its commit, if the deployment sets it.' }),
})

/** Fields of the contracts in the answer. */
export const contractFields =
  'settlement vaultRelayer wrappedNative hooksTrampoline ethFlows balanceGuard poolFactory'

export const contractsText = 'Addresses, signing domain and types of one network.'

const typeMembers = z.array(z.object({ name: z.string(), type: z.string() }))

export const contracts = z.object({
  network: fieldSchema('Network.name'),
  chainId: fieldSchema('Network.chainId'),
  contracts: selected('NetworkContracts', contractFields).meta({ description: 'The addresses.' }),
  domain: z
    .object({
      name: fieldSchema('SigningTerms.name'),
      version: fieldSchema('SigningTerms.version'),
      chainId: fieldSchema('SigningTerms.chainId'),
      verifyingContract: fieldSchema('SigningTerms.verifyingContract'),
    })
    .meta({ description: 'The EIP-712 domain.' }),
  domainSeparator: fieldSchema('SigningTerms.separator'),
  types: z.record(z.string(), typeMembers).meta({ description: 'Types by name, each with its members.' }),
})

const { separator, types, ...domain } = signingTermsOf({
  chainId: 11_155_111,
  settlement: settlementPairs.production.settlement,
})

const exampleContracts = {
  network: 'sepolia',
  chainId: 11_155_111,
  contracts: {
    settlement: settlementPairs.production.settlement,
    vaultRelayer: settlementPairs.production.vaultRelayer,
    wrappedNative: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
    hooksTrampoline: defaultHooksTrampoline,
    ethFlows: [ethFlowOf.production],
    balanceGuard: '0x2b15063a6f8a11d18404c801f295b1d19dcc8574',
    poolFactory: '0xc039b3b46814d8388e5205d37dd0d154d806f1f4',
  },
  domain,
  domainSeparator: separator,
  types,
}

export const serviceOperations: Operations = {
  'GET /about': {
    id: 'about',
    summary: 'The program and its version',
    description: '`/{network}/api/v1/ready` reports whether it is ready.',
    answers: { 200: { description: aboutText, schema: about, headers: ['ETag'] } },
    examples: { about: { summary: 'A release', answer: { name: 'Tradegraph', version: '0.1.0' } } },
  },
  'GET /:network/info/contracts': {
    id: 'contracts',
    summary: 'The contracts of a network, and the EIP-712 terms of signatures',
    description: '`domain` and `types` are what `eth_signTypedData_v4` takes.',
    answers: { 200: { description: contractsText, schema: contracts, headers: ['ETag'] } },
    examples: {
      contracts: { summary: 'A test network', answer: exampleContracts },
      elsewhere: { ...elsewhere, refused: ['InvalidParameter', unknownNetwork] },
    },
  },
  'GET /api/v1/version': {
    id: 'version',
    summary: 'The version of the service',
    answers: { 200: { description: 'Its name.', schema: plainText } },
    examples: { version: { summary: 'A release', answer: '0.1.0' }, elsewhere },
  },
  'GET /api/v1/ready': {
    id: 'ready',
    summary: 'Whether a network is ready',
    description: '200 while the database and the node of the network answer, else 503. The body is empty.',
    answers: { 200: { description: 'It is ready.', schema: plainText } },
    examples: { ready: { summary: 'Ready', answer: '' }, elsewhere },
  },
}
