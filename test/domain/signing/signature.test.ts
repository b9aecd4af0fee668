import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { recoverAddress, SigningKey } from 'ethers'
import fc from 'fast-check'
import { recoverAddress as recoverWithNoble } from 'viem'
import { describe, expect, it } from 'vitest'
import { bytesToHex, type Hex } from '../../../src/domain/evm/hex.ts'
import { recoverSigner } from '../../../src/domain/signing/signature.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const half = curveOrder / 2n
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const scalar = fc.oneof(
  bytes(32),
  fc
    .constantFrom(
      0n,
      1n,
      2n,
      half - 1n,
      half,
      half + 1n,
      curveOrder - 1n,
      curveOrder,
      curveOrder + 1n,
      2n ** 256n - 1n,
    )
    .map(word),
)
const key = new SigningKey(`0x${'01'.repeat(32)}`)
const owner = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1'
const hash = bytesToHex(new Uint8Array(32).fill(0x68))
const byte = (value: number) => value.toString(16).padStart(2, '0')
const joined = (r: Hex, s: Hex, v: number): Hex => `${r}${s.slice(2)}${byte(v)}` as Hex
const flipped = (s: Hex) => word(curveOrder - BigInt(s))

async function references(digest: Hex, r: Hex, s: Hex, v: number): Promise<(string | undefined)[]> {
  const full = v < 27 ? v + 27 : v
  const ethers = (() => {
    try {
      return recoverAddress(digest, { r, s, v: full }).toLowerCase()
    } catch {
      return undefined
    }
  })()
  const noble = await recoverWithNoble({ hash: digest, signature: { r, s, v: BigInt(full) } }).then(
    (signer) => signer.toLowerCase(),
    () => undefined,
  )
  return [ethers, noble]
}

describe('recovery', () => {
  it('agrees with two other libraries on random signatures, except for high s, which is refused', async () => {
    const seen = { signer: 0, none: 0, high: 0 }
    await fc.assert(
      fc.asyncProperty(bytes(32), scalar, scalar, fc.constantFrom(0, 1, 27, 28), async (digest, r, s, v) => {
        const ours = recoverSigner('eip712', digest, joined(r, s, v))
        if (BigInt(s) > half) {
          seen.high++
          expect(ours).toEqual({ fault: 'high-s' })
          return
        }
        const [ethers, noble] = await references(digest, r, s, v)
        expect(noble).toBe(ethers)
        seen[ethers ? 'signer' : 'none']++
        expect(ours).toEqual(
          ethers
            ? { signer: ethers, signature: joined(r, s, v < 27 ? v + 27 : v) }
            : { fault: 'unrecoverable' },
        )
      }),
      { numRuns: 150 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5)
  })

  it('agrees with both libraries on real signatures', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(32), bytes(32), async (secret, digest) => {
        fc.pre(BigInt(secret) > 0n && BigInt(secret) < curveOrder)
        const { r, s, v } = new SigningKey(secret).sign(digest)
        const ours = recoverSigner('eip712', digest, joined(r as Hex, s as Hex, v))
        const known = await references(digest, r as Hex, s as Hex, v)
        expect(known).toEqual(Array(2).fill('signer' in ours && ours.signer))
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    ['r = 0', 0n, 1n],
    ['s = 0', 1n, 0n],
    ['r = n', curveOrder, 1n],
    ['r > n', 2n ** 256n - 1n, 1n],
  ])('is refused as unrecoverable for %s', (_, r, s) => {
    for (const v of [0, 1, 27, 28]) {
      expect(recoverSigner('eip712', hash, joined(word(r), word(s), v))).toEqual({ fault: 'unrecoverable' })
    }
  })

  it.each([
    ['just above half', half + 1n],
    ['n', curveOrder],
    ['the largest uint256', 2n ** 256n - 1n],
  ])('refuses s %s', (_, s) => {
    expect(recoverSigner('eip712', hash, joined(word(5n), word(s), 27))).toEqual({ fault: 'high-s' })
  })

  it('refuses the second signature that any observer can derive from a valid one', async () => {
    const { r, s, v } = key.sign(hash)
    const other = { r: r as Hex, s: flipped(s as Hex), v: 55 - v }
    const signer = await recoverWithNoble({ hash, signature: { ...other, v: BigInt(other.v) } })
    expect(signer.toLowerCase()).toBe(owner)
    expect(recoverSigner('eip712', hash, joined(other.r, other.s, other.v))).toEqual({ fault: 'high-s' })
  })

  it('takes v 0, 1, 27 and 28 and gives 27 or 28; every other byte is refused', () => {
    const { r, s, v } = key.sign(hash)
    const results = Array.from({ length: 256 }, (_, last) =>
      recoverSigner('eip712', hash, joined(r as Hex, s as Hex, last)),
    )
    expect(results[v]).toEqual({ signer: owner, signature: joined(r as Hex, s as Hex, v) })
    expect(results[v - 27]).toEqual(results[v])
    expect(
      results.flatMap((answer, last) => ('fault' in answer && answer.fault === 'v' ? [] : [last])),
    ).toEqual([0, 1, 27, 28])
  })

  it('refuses every length but 64 and 65', () => {
    for (let length = 0; length <= 140; length++) {
      const answer = recoverSigner('eip712', hash, `0x${'01'.repeat(length)}`)
      expect('fault' in answer && answer.fault === 'length').toBe(length !== 64 && length !== 65)
    }
  })
})

it('recovers the same without native code, as on machines that npm has none for', () => {
  const source = path.join(import.meta.dirname, '..', '..', '..', 'src', 'domain', 'signing')
  const { r, s, v } = key.sign(hash)
  const signatures = [
    joined(r as Hex, s as Hex, v),
    joined(r as Hex, s as Hex, 55 - v),
    ...[0n, curveOrder, 2n ** 256n - 1n].map((value) => joined(word(value), word(1n), 27)),
    joined(word(1n), word(0n), 27),
    ...fc.sample(fc.tuple(scalar, scalar), 50).map(([r, s]) => joined(r, s, 28)),
  ]
  const script = `
    import { isRecoveryNative } from '${source}/recover-key.ts'
    import { recoverSigner } from '${source}/signature.ts'
    const recovered = ${JSON.stringify(signatures)}.map((signature) => recoverSigner('eip712', '${hash}', signature))
    console.log(JSON.stringify({ isRecoveryNative, recovered }))`
  const flags = ['--no-addons', '--import', 'tsx', '--input-type=module', '--eval', script]
  expect(JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }))).toEqual({
    isRecoveryNative: false,
    recovered: signatures.map((signature) => recoverSigner('eip712', hash, signature)),
  })
})

describe('a compact signature', () => {
  it('is expanded to the same 65 bytes as by ethers', () => {
    const parities = new Set<number>()
    fc.assert(
      fc.property(bytes(32), (digest) => {
        const signature = key.sign(digest)
        parities.add(signature.yParity)
        expect(recoverSigner('eip712', digest, signature.compactSerialized as Hex)).toEqual({
          signer: owner,
          signature: signature.serialized,
        })
      }),
      { numRuns: 30 },
    )
    expect(parities).toEqual(new Set([0, 1]))
  })

  it('is refused as unrecoverable for r = 0, and refused for high s', () => {
    const of = (r: bigint, yParityAndS: bigint): Hex => `${word(r)}${word(yParityAndS).slice(2)}` as Hex
    expect(recoverSigner('eip712', hash, of(0n, 1n))).toEqual({ fault: 'unrecoverable' })
    expect(recoverSigner('eip712', hash, of(1n, 2n ** 255n))).toEqual({ fault: 'unrecoverable' })
    expect(recoverSigner('eip712', hash, of(1n, 2n ** 255n - 1n))).toEqual({ fault: 'high-s' })
  })
})
