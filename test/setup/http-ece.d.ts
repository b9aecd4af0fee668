declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  /** @param parameters `authSecret` in base64url */
  export function decrypt(
    body: Buffer,
    parameters: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer
}
