import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { Coding } from './accepted-coding.ts'

/** In characters. So many take less than 0.2 ms, mostly: no thread is worth waiting for. */
const maxSynchronously = 16_384

/** Those that the process's threads compress at a time: each holds memory for what it reads and writes. */
const maxUnderWay = 8

/** As fast as gzip at its fastest, and smaller. What never changes is compressed once: it may take long. */
const quality = { each: 1, once: 9 }

/** `undefined` when it failed. */
type Compressed = Buffer | Promise<Buffer | undefined>

let underWay = 0
const kept = new WeakMap<Buffer, Map<Coding, Compressed>>()

/**
 * Compressed text, now or later, or `undefined` while there is too much to compress already. What comes as
 * bytes is compressed once, however many ask meanwhile, and remembered for as long as somebody holds them.
 */
export function compress(body: string | Buffer, coding: Coding): Compressed | undefined {
  if (typeof body !== 'string') return compressOnce(body, coding)
  if (body.length <= maxSynchronously) return compressNow(Buffer.from(body), coding)
  return isBusy() ? undefined : compressLater(Buffer.from(body), coding, quality.each)
}

function isBusy(): boolean {
  return underWay >= maxUnderWay
}

function compressOnce(body: Buffer, coding: Coding): Compressed | undefined {
  const codings = kept.get(body) ?? new Map<Coding, Compressed>()
  const remembered = codings.get(coding)
  if (remembered) return remembered
  if (isBusy()) return undefined
  kept.set(body, codings)
  const coming = compressLater(body, coding, quality.once).then((compressed) => {
    if (compressed) codings.set(coding, compressed)
    else codings.delete(coding)
    return compressed
  })
  codings.set(coding, coming)
  return coming
}

function compressNow(bytes: Buffer, coding: Coding): Buffer {
  return coding === 'br'
    ? brotliCompressSync(bytes, brotliOptions(quality.each, bytes.length))
    : gzipSync(bytes, { level: quality.each })
}

function compressLater(bytes: Buffer, coding: Coding, level: number): Promise<Buffer | undefined> {
  underWay++
  return new Promise((resolve) => {
    const done = (error: Error | null, compressed: Buffer) => {
      underWay--
      resolve(error ? undefined : compressed)
    }
    if (coding === 'br') brotliCompress(bytes, brotliOptions(level, bytes.length), done)
    else gzip(bytes, { level }, done)
  })
}

function brotliOptions(level: number, size: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: level,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  }
}
