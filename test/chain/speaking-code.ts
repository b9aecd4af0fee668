import { AbiCoder } from 'ethers'
import type { Hex } from '../../src/domain/evm/hex.ts'

const coder = AbiCoder.defaultAbiCoder()

/** What a contract returns for symbol, name and decimals; null where it reverts. */
export type Reported = readonly [symbol: Hex | null, name: Hex | null, decimals: Hex | null]

export const text = (value: string) => coder.encode(['string'], [value]) as Hex
export const number = (value: bigint) => coder.encode(['uint256'], [value]) as Hex
/** Exactly these bytes. */
export const bytes = (hex: string): Hex => `0x${hex}`

const selectors = ['95d89b41', '06fdde03', '313ce567']

/** Code that answers these three calls, and reverts any other. */
export function speakingCode(reported: Reported): Hex {
  const place = (value: number) => value.toString(16).padStart(4, '0')
  const spoken = reported.flatMap((answer, index) =>
    answer === null ? [] : [{ selector: selectors[index], answer: answer.slice(2) }],
  )
  const branches = 6 + spoken.length * 11 + 5
  const returns = 15
  let data = branches + spoken.length * returns
  const code = spoken.map(({ selector, answer }, index) => {
    const size = answer.length / 2
    const at = data
    data += size
    return {
      // DUP1 PUSH4 selector EQ PUSH2 place JUMPI
      branch: `8063${selector}1461${place(branches + index * returns)}57`,
      // JUMPDEST PUSH2 size DUP1 PUSH2 at PUSH1 0 CODECOPY PUSH1 0 RETURN
      answer: `5b61${place(size)}8061${place(at)}6000396000f300`,
      data: answer,
    }
  })
  const parts = [
    '60003560e01c',
    ...code.map(({ branch }) => branch),
    '60006000fd',
    ...code.map(({ answer }) => answer),
    ...code.map(({ data }) => data),
  ]
  return `0x${parts.join('')}`
}
