import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import { readArtifact } from '../../chain/contracts.ts'

test('functions, events and errors are those of real networks', () => {
  const selectors = (name: string) => {
    const contract = new Interface(readArtifact(name).abi)
    const found: Record<string, string> = {}
    contract.forEachFunction((item) => {
      found[item.name] = item.selector
    })
    contract.forEachError((item) => {
      found[item.name] = item.selector
    })
    contract.forEachEvent((item) => {
      found[item.name] = item.topicHash
    })
    return found
  }
  expect(selectors('ComposableCow')).toEqual({
    domainSeparator: '0xf698da25',
    roots: '0xa4546876',
    singleOrders: '0x6108c532',
    swapGuards: '0x595001b2',
    cabinet: '0x1c7662c8',
    hash: '0x5500079d',
    create: '0x6bfae1ca',
    createWithContext: '0x0d0d9800',
    setRoot: '0x1ab0dd9d',
    setRootWithContext: '0x57f1d41a',
    remove: '0x95bc2673',
    setSwapGuard: '0x8f7984ed',
    getTradeableOrderWithSignature: '0x26e0a196',
    isValidSafeSignature: '0x53f00b14',
    ConditionalOrderCreated: '0x2cceac5555b0ca45a3744ced542f54b56ad2eb45e521962372eef212a2cbf361',
    MerkleRootSet: '0x58662f46b4a87d0f96d929b24c37fe25c55d52c0025d0b2bec3936534cc31e57',
    SwapGuardSet: '0x41f583e2d25b3921afe66987b63b0b5e4cf2acbbbed4a477fd19a22180f3f859',
    SingleOrderNotAuthed: '0x7a933234',
    ProofNotAuthed: '0x4a821464',
    SwapGuardRestricted: '0x03fc2a7e',
    InvalidHandler: '0xd8f59fa5',
    InvalidFallbackHandler: '0x79ac63cd',
    InterfaceNotSupported: '0x2c7ca6d7',
  })
  const handler = {
    getTradeableOrder: '0xb8296fc4',
    verify: '0x14a2a784',
    supportsInterface: '0x01ffc9a7',
    OrderNotValid: '0xc8fc2725',
    PollTryNextBlock: '0xd05f3065',
    PollTryAtEpoch: '0x7e334637',
  }
  for (const name of ['Twap', 'StopLoss', 'TradeAboveThreshold', 'GoodAfterTime', 'PerpetualStableSwap'])
    expect(selectors(name), name).toEqual(handler)
  expect(selectors('CurrentBlockTimestampFactory')).toEqual({ getValue: '0xb6576bdf' })
  expect(selectors('ExtensibleFallbackHandler')).toMatchObject({
    domainVerifiers: '0x51cad5ee',
    setDomainVerifier: '0x3365582c',
    AddedDomainVerifier: '0xae938181ed4437a46f12ead84e69947e6d84a1113a49d9c0075d8d35c6ce273c',
    ChangedDomainVerifier: '0x06341ac2f62eb79165de8c8b54ab89a8825b12746c2b98e01dff1007837d2ba8',
    RemovedDomainVerifier: '0xf1984d1a49cc75dcbf01cd175870cb7eb9a4fd87b538a87007e4dbb0399b61a9',
  })
  expect(selectors('SafeWallet')).toMatchObject({
    setFallbackHandler: '0xf08a0323',
    ChangedFallbackHandler: '0x5ac6c46c93c8d0e53714ba3b53db3e7c046da994313d7ed0d192028bc7c228b0',
  })
  expect(selectors('ForwarderWallet')).toMatchObject({
    isValidSignature: '0x1626ba7e',
    InvalidHash: '0x0af806e0',
  })
  expect(selectors('ForwarderWallet')).not.toHaveProperty('supportsInterface')
  expect(selectors('ShedFactory')).toMatchObject({
    proxyOf: '0xc1a9a508',
    ownerOf: '0x14afd79e',
    COWShedBuilt: '0xbd9f8ca768e3ce4aca2c83d15c9c45fa3a0e0a5f5ac6ab6dc8c08d96260ad6dc',
  })
  expect(selectors('Multicall3')).toEqual({ aggregate3: '0x82ad56cb', aggregate3Value: '0x174dea71' })
})
