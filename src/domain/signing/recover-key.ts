import { createRequire } from 'node:module'

/** Returns the uncompressed public key. @throws if the bytes are not a valid signature */
type RecoverKey = (rs: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array) => Uint8Array

const native = loadNative()

/** False where npm has no native code for the machine: WebAssembly recovers at a third of its speed. */
export const isRecoveryNative = native !== undefined

export const recoverKey: RecoverKey = native ?? (await loadWasm())

/** Loads the native part itself: the package would fall back to JavaScript, at a twentieth of the speed. */
function loadNative(): RecoverKey | undefined {
  try {
    const { ecdsaRecover }: typeof import('secp256k1') = createRequire(import.meta.url)('secp256k1/bindings')
    return (rs, recoveryId, digest) => ecdsaRecover(rs, recoveryId, digest, false)
  } catch {
    return undefined
  }
}

async function loadWasm(): Promise<RecoverKey> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth')
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1()
  return (rs, recoveryId, digest) => {
    const key = recoverPublicKeyUncompressed(rs, recoveryId, digest)
    if (typeof key === 'string') throw new Error(key)
    return key
  }
}
