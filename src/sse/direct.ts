import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GraphQLError } from 'graphql'
import { type Ending, Refusal } from '../domain/errors/error.ts'
import { type CountDelivery, sharedEventUnits } from '../execution/admission/admission.ts'
import type { Cost } from '../execution/admission/cost.ts'
import type { Beats, StreamMeter } from '../http/event-stream.ts'
import type { Follower, Sink } from '../notifications/feed-follower.ts'
import {
  chunkOf,
  comment,
  completed,
  contentOf,
  endingRefusal,
  type Frame,
  farewell,
  frameOf,
  greeting,
  jsonIn,
} from './frames.ts'

interface DirectOptions {
  beats: Beats
  meter: StreamMeter
  /** Buffered bytes of one connection, beyond one event. */
  bufferBytes: number
  stalledMs: number
  mask(fault: unknown): GraphQLError
  count: CountDelivery
}

const commentChunk = chunkOf(comment)

/**
 * A stream of one subscription to a feed. It writes bytes that all streams share, past the response, which
 * would split each write again. It keeps only the position in the feed for a client that does not read.
 */
export class DirectStream implements Sink {
  private follower: Follower<Frame> | undefined
  private cost: Cost | undefined
  private res: ServerResponse | undefined
  /** Undefined where the connection has no chunks. */
  private socket: Socket | undefined
  private isFirst = true
  private isQuiet = false
  /** The time at which the client stopped reading events, or the stream was ended. */
  private blockedAt: number | undefined
  /** Runs while the client is over its cost units. */
  private rest: NodeJS.Timeout | undefined
  private isEnded = false
  /** The failure before the stream could write. */
  private early: { fault: unknown } | undefined

  constructor(private readonly options: DirectOptions) {}

  follow(follower: Follower<Frame>, cost: Cost): void {
    this.follower = follower
    this.cost = cost
  }

  /** @returns when the connection has ended */
  write(res: ServerResponse, headers: Record<string, string>): Promise<void> {
    const { beats, meter } = this.options
    // Headers, greeting and available events leave in one packet.
    const { socket } = res
    socket?.cork()
    res.writeHead(200, headers).flushHeaders()
    this.res = res
    if (res.chunkedEncoding && res.socket) this.socket = res.socket
    const onDrain = () => this.drained()
    socket?.on('drain', onDrain)
    const stopBeats = beats.add(() => this.beat())
    meter.open++
    const ended = new Promise<void>((resolve) => {
      const end = () => {
        socket?.off('drain', onDrain)
        stopBeats()
        clearTimeout(this.rest)
        meter.open--
        if (!this.isEnded) this.follower?.close()
        this.isEnded = true
        resolve()
      }
      if (res.destroyed) return end()
      res.once('close', end)
      this.send(chunkOf(greeting(this.follower && String(this.follower.place))))
      if (this.early) this.fail(this.early.fault)
      this.wake()
    })
    socket?.uncork()
    return ended
  }

  wake(): void {
    if (!this.res || this.isEnded || this.blockedAt !== undefined || this.rest || !this.follower) return
    const { bufferBytes, meter, count } = this.options
    let corked: Socket | undefined
    for (let taken = 0; ; taken++) {
      const ready = this.follower.take()
      if (!ready) break
      // Several events leave in one packet.
      if (taken === 1) {
        corked = this.socket
        corked?.cork()
      }
      this.send(this.isFirst ? this.firstOf(ready.rendered, String(ready.place)) : ready.rendered.chunk)
      meter.delivered++
      const restMs = count(sharedEventUnits(ready.rendered.bytes))
      if (restMs > 0) this.restFor(restMs)
      if (this.res.socket?.writableNeedDrain && this.res.socket.writableLength >= bufferBytes) {
        this.blockedAt = performance.now()
        break
      }
      if (this.rest) break
    }
    corked?.uncork()
  }

  /** A stream that is ended without `complete` is opened again by its client. */
  fail(fault: unknown): void {
    if (this.isEnded) return
    if (!this.res) {
      this.early ??= { fault }
      return
    }
    const { meter, mask } = this.options
    const { reason = 'FAULT', cursor = undefined } = (fault instanceof Refusal && fault.ending) || {}
    this.isEnded = true
    this.blockedAt = performance.now()
    this.follower?.close()
    meter.ended(reason)
    if (reason === 'SHUTTING_DOWN') this.send(chunkOf(farewell()))
    this.send(frameOf(JSON.stringify({ errors: [mask(fault)] }), cursor).chunk)
    if (reason !== 'SHUTTING_DOWN') this.send(chunkOf(completed()))
    this.res.end()
  }

  close(reason: Exclude<Ending['reason'], 'GAP'>): void {
    this.fail(endingRefusal(reason, this.follower && String(this.follower.place)))
  }

  destroy(): void {
    this.res?.destroy()
  }

  /** The stream takes nothing meanwhile, and so loses nothing: it only holds its position. */
  private restFor(restMs: number): void {
    this.options.meter.rests++
    this.rest = setTimeout(() => {
      this.rest = undefined
      this.wake()
    }, restMs)
  }

  /** The first event has the cost, which is the same for each. */
  private firstOf(frame: Frame, cursor: string): Buffer {
    this.isFirst = false
    const json = jsonIn(frame)
    return frameOf(`${json.slice(0, -1)},"extensions":${JSON.stringify({ cost: this.cost })}}`, cursor).chunk
  }

  private send(chunk: Buffer): void {
    this.isQuiet = false
    if (this.socket) this.socket.write(chunk)
    else this.res?.write(contentOf(chunk))
  }

  private drained(): void {
    if (this.isEnded) return
    this.blockedAt = undefined
    this.wake()
  }

  private beat(): void {
    if (this.blockedAt !== undefined) {
      if (performance.now() - this.blockedAt < this.options.stalledMs) return
      if (this.isEnded) this.destroy()
      else this.close('SLOW_CONSUMER')
    } else if (this.isQuiet) this.send(commentChunk)
    this.isQuiet = true
  }
}
