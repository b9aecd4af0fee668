import { expect, test } from 'vitest'
import type { Network } from '../../../src/domain/network/network.ts'
import { claimNetwork } from '../../../src/storage/chain/networks.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered } from '../../fakes/order.ts'
import { connectDirectly, createTestDatabase } from '../../setup/database.ts'

const genesis = (digits: string) => `0x${digits.repeat(32)}` as const
const network: Network = { ...sampleNetwork, chainId: 1, name: 'mainnet' }

test('orders of one database are signed for one contract', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const staging = { ...network, settlement: numbered('57') }
  await claimNetwork(db, network, genesis('aa'))
  await expect(claimNetwork(db, staging, genesis('aa'))).rejects.toThrow(
    `the orders of mainnet in this database are signed for ${network.settlement}, not for ${staging.settlement}: use another database`,
  )
  await using client = await connectDirectly(database.url)
  await client.query('UPDATE networks SET settlement = NULL')
  const claims = [network, staging].map((one) => claimNetwork(db, one, genesis('aa')))
  const outcomes = await Promise.allSettled(claims)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a chain keeps its genesis for ever', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await Promise.all([1, 2, 3].map(() => claimNetwork(db, network, genesis('aa'))))
  await expect(claimNetwork(db, network, genesis('bb'))).rejects.toThrow(
    `chain 1 (mainnet) has genesis ${genesis('bb')}, but this database belongs to ${genesis('aa')}: it is another chain. ` +
      'Use another database, or start the local stack with --reset.',
  )
  await claimNetwork(db, network, genesis('aa'))
  await claimNetwork(db, { ...network, chainId: 2, name: 'other' }, genesis('bb'))
  await expect(claimNetwork(db, { ...network, chainId: 3 }, genesis('cc'))).rejects.toThrow(
    'another chain than 3 is called mainnet in this database',
  )
})
