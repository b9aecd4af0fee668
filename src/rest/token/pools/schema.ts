import { z } from 'zod'
import { addressField } from '../../../graphql/input/fields.ts'
import { maxNamedPools } from '../../../graphql/token/pool.ts'
import { address, count } from '../../openapi/schemas/primitives.ts'

export const poolAddresses = z
  .array(addressField, { error: 'a JSON list of addresses is expected' })
  .max(maxNamedPools, `at most ${maxNamedPools} pools may be named`)
  .meta({ description: 'Contracts of pools. An empty list stands for all.' })

const percent = z.number().min(0)
const dollars = z.number().min(0)

export const poolFigures = z.object({
  contract_address: address.meta({ description: 'The pool.' }),
  chain_id: count.meta({ description: 'The chain it is on.' }),
  project: z.string().meta({ description: 'Whose pool it is.' }),
  apr: percent.meta({
    description: 'Per cent of its value that a year of such days’ fees adds; 0 where it is not known.',
  }),
  fee: percent.meta({ description: 'Per cent that it keeps of what comes in.' }),
  tvl: dollars.meta({ description: 'US dollars that are locked in it; 0 where that is not known.' }),
  volume: dollars.meta({
    description: 'US dollars that came in within 24 hours; 0 where that is not known.',
  }),
})

export const poolList = z.array(poolFigures)

export const averageAprs = z.record(z.string(), percent)
