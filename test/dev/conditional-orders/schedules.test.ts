import { Interface } from 'ethers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { programmaticContracts } from '../../../src/dev/chain/programmatic-contracts.ts'
import { maxUint256, minOf } from '../../../src/domain/amount.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import { encodeOrder } from '../../../src/domain/programmatic/encoded-order.ts'
import { composableCow } from '../../../src/domain/programmatic/handlers.ts'
import { encodeStaticInput, type TwapInput } from '../../../src/domain/programmatic/static-input.ts'
import { twapAt, twapSchedule, twapStart } from '../../../src/domain/programmatic/twap.ts'
import { addressWord, hashWords, uintWord } from '../../../src/domain/signing/typed-data.ts'
import { describeRevert, onChain } from '../../chain/conditional-stage.ts'
import { readArtifact } from '../../chain/contracts.ts'
import { ids, owner, start, twapInput } from '../../domain/programmatic/vectors.ts'
import { numbered } from '../../fakes/order.ts'

const chain = onChain(start)
const handler = new Interface(readArtifact('Twap').abi)
const maxUint32 = 2n ** 32n - 1n
const year = 31_536_000n

/** Mostly within the bounds, sometimes at or beyond one. */
const between = (min: bigint, max: bigint, ...others: bigint[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.bigInt({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max, ...others) },
  )
const aToken = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(numbered('aa'), numbered('bb'), numbered('cc')) },
  { weight: 1, arbitrary: fc.constant(zeroAddress) },
)
const anInput: fc.Arbitrary<TwapInput> = fc
  .record({
    sellToken: aToken,
    buyToken: aToken,
    receiver: fc.constantFrom(numbered('22'), zeroAddress),
    partSellAmount: between(1n, maxUint256, 0n),
    minPartLimit: between(1n, maxUint256, 0n),
    t0: fc.oneof(fc.constant(0n), between(1n, maxUint32 - 1n, maxUint32, maxUint32 + 1n, maxUint256)),
    n: between(2n, 1_000n, 0n, 1n, maxUint32, maxUint32 + 1n, maxUint256),
    t: between(1n, 100_000n, 0n, year, year + 1n, maxUint256),
    span: fc.nat(100),
  })
  .map(({ span, ...terms }) => ({
    ...twapInput(),
    ...terms,
    span: minOf((terms.t * BigInt(span)) / 97n, maxUint256),
  }))
const aCabinet = between(1n, maxUint32 - 1n, 0n, maxUint32, maxUint256)

/** The times around each end of some part, as far as blocks can have them. */
function timesOf({ n, t, span }: TwapInput, from: bigint, place: number): number[] {
  const index = (minOf(n, maxUint32) * BigInt(place)) / 100n
  const part = from + index * t
  const times = [from, part, part + span, part + t, from + n * t].flatMap((time) => [time - 1n, time])
  return times.filter((time) => time >= 0n && time < 2n ** 52n).map(Number)
}

function expected(input: TwapInput, cabinet: bigint, now: number): string {
  const schedule = twapSchedule(input, cabinet)
  if ('fault' in schedule) return `OrderNotValid(${schedule.fault})`
  const answer = twapAt(schedule, now)
  if (answer.state === 'part') return `0x${encodeOrder(answer.part.order)}`
  return `${answer.state === 'overflow' ? 'Error' : 'OrderNotValid'}(${answer.message})`
}

it('the contract and the service agree on every schedule at all times', { timeout: 300_000 }, async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(anInput, aCabinet, fc.nat(101), async (input, cabinet, place) => {
      const values = [owner, owner, ids.C, encodeStaticInput('TWAP', input), '0x']
      const call = {
        to: programmaticContracts.Twap,
        data: handler.encodeFunctionData('getTradeableOrder', values),
      }
      const slot = hashWords(ids.C, hashWords(addressWord(owner), uintWord(3n)))
      const state = { [composableCow]: { stateDiff: { [slot]: uintWord(cabinet) } } }
      const times = timesOf(input, twapStart(input, cabinet), place)
      const answers = await chain().rpc.batch(
        times.map((time) => ({
          method: 'eth_call',
          params: [call, 'latest', state, { time: toQuantity(time) }],
        })),
      )
      const found = answers.map((answer) =>
        'error' in answer ? describeRevert(String(answer.error.data)) : String(answer.value),
      )
      expect(found).toEqual(times.map((time) => expected(input, cabinet, time)))
      for (const answer of found) seen.add(answer.startsWith('0x') ? 'part' : answer)
    }),
    { numRuns: 500 },
  )
  expect(seen).toContain('part')
  expect(seen.size).toBeGreaterThan(11)
})
