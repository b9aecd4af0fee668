import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Pushed {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface PushService extends AsyncDisposable {
  url: string
  received: Pushed[]
  /** Decides the next answers; 201 when left out. */
  answer: (request: Pushed) => { status: number; headers?: Record<string, string> }
}

/** A push service on this machine: it keeps what is posted to it, and delivers nothing. */
export async function startPushService(): Promise<PushService> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const entry = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
      service.received.push(entry)
      const { status, headers } = service.answer(entry)
      response.writeHead(status, headers).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const service: PushService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => ({ status: 201 }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return service
}

/** Keys of a browser, and what they decrypt: RFC 8291 and RFC 8188 step by step, by WebCrypto alone. */
export async function createBrowserKeys() {
  const { subtle } = crypto
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const pair = await subtle.generateKey(curve, true, ['deriveBits'])
  const publicKey = new Uint8Array(await subtle.exportKey('raw', pair.publicKey))
  const auth = crypto.getRandomValues(new Uint8Array(16))

  async function derive(salt: Uint8Array, secret: BufferSource, info: Uint8Array, bytes: number) {
    const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: salt as BufferSource, info: info as BufferSource }
    return new Uint8Array(await subtle.deriveBits(hkdf, key, bytes * 8))
  }

  return {
    keys: { p256dh: base64url(publicKey), auth: base64url(auth) },
    async decrypt(body: Buffer): Promise<string> {
      const salt = body.subarray(0, 16)
      const sender = body.subarray(21, 21 + (body[20] ?? 0))
      const record = body.subarray(21 + sender.length)
      const senderKey = await subtle.importKey('raw', new Uint8Array(sender), curve, false, [])
      const shared = await subtle.deriveBits({ name: 'ECDH', public: senderKey }, pair.privateKey, 256)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender])
      const secret = await derive(auth, shared, info, 32)
      const label = (name: string) => Buffer.from(`Content-Encoding: ${name}\0`)
      const key = await derive(salt, secret, label('aes128gcm'), 16)
      const iv = await derive(salt, secret, label('nonce'), 12)
      const aes = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
      const padded = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, new Uint8Array(record)))
      const end = padded.lastIndexOf(2)
      if (end < 0 || padded.subarray(end + 1).some(Boolean)) throw new Error('wrong padding')
      return padded.subarray(0, end).toString('utf8')
    },
  }
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
