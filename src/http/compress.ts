import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { Coding } from './accepted-coding.ts'

/**
 * The maximum length in characters of texts compressed synchronously. They mostly take less than 0.2 ms, too
 * little for a thread.
 */
const maxSyncLength = 16_384

/**
 * The number of bodies that threads compress at the same time. Each holds memory for its input and output.
 */
const maxRunning = 8

/**
 * The levels of compression. Brotli at 1 is as fast as gzip at its fastest, and its output is smaller. A
 * constant body is compressed once, so it may take longer.
 */
const level = { perResponse: 1, constant: 9 }

/** A compressed body; undefined if the compression failed. */
type Compressed = Buffer | Promise<Buffer | undefined>

let running = 0
const compressedBodies = new WeakMap<Buffer, Map<Coding, Compressed>>()

/**
 * Compresses a body: a short text at once, others on a thread. Bytes are compressed once for each coding, and
 * the result is cached for as long as the buffer is referenced.
 * @returns undefined while too many compressions are running
 */
export function compress(body: string | Buffer, coding: Coding): Compressed | undefined {
  if (typeof body !== 'string') return compressOnce(body, coding)
  if (body.length <= maxSyncLength) return compressNow(Buffer.from(body), coding)
  return isBusy() ? undefined : compressLater(Buffer.from(body), coding, level.perResponse)
}

function isBusy(): boolean {
  return running >= maxRunning
}

function compressOnce(body: Buffer, coding: Coding): Compressed | undefined {
  const compressedByCoding = compressedBodies.get(body) ?? new Map<Coding, Compressed>()
  const cached = compressedByCoding.get(coding)
  if (cached) return cached
  if (isBusy()) return undefined
  compressedBodies.set(body, compressedByCoding)
  const pending = compressLater(body, coding, level.constant).then((compressed) => {
    if (compressed) compressedByCoding.set(coding, compressed)
    else compressedByCoding.delete(coding)
    return compressed
  })
  compressedByCoding.set(coding, pending)
  return pending
}

function compressNow(bytes: Buffer, coding: Coding): Buffer {
  return coding === 'br'
    ? brotliCompressSync(bytes, brotliOptions(level.perResponse, bytes.length))
    : gzipSync(bytes, { level: level.perResponse })
}

function compressLater(bytes: Buffer, coding: Coding, quality: number): Promise<Buffer | undefined> {
  running++
  return new Promise((resolve) => {
    const onEnd = (error: Error | null, compressed: Buffer) => {
      running--
      resolve(error ? undefined : compressed)
    }
    if (coding === 'br') brotliCompress(bytes, brotliOptions(quality, bytes.length), onEnd)
    else gzip(bytes, { level: quality }, onEnd)
  })
}

function brotliOptions(quality: number, size: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  }
}
