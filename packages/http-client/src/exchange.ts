import type { SvcError } from '@svc/errors'
import type { Connection, ConnectionUser, Origin } from './connection.ts'
import { DecodingSink, findUnasked } from './decoding-sink.ts'
import { requestCancelled, toUpstreamFailure, upstreamFailed, upstreamTimedOut } from './errors.ts'
import { ReplyParser } from './parser.ts'
import type { ConnectionPool, Waiter } from './pool.ts'
import { writeRequestHead } from './request-bytes.ts'
import type { Listed, RunningList } from './running-list.ts'
import type { StopSignal, UpstreamCall, UpstreamHead, UpstreamRequest, UpstreamSink } from './upstream.ts'

/** Bodies up to this size leave in one write with their head. */
const ONE_WRITE_BYTES = 16 * 1024

/** The parts of the client that an exchange uses. */
export interface ExchangeContext {
  readonly pool: ConnectionPool
  readonly limits: { readonly headMs: number; readonly idleMs: number }
  readonly running: RunningList<Exchange>
  /** Monotonic milliseconds, at most a sweep old. */
  now(): number
}

/** One request and its reply, on one connection; on a second one only when the first turned out to be closed. */
export class Exchange implements UpstreamCall, Waiter, ConnectionUser, Listed {
  place = -1
  readonly #context: ExchangeContext
  readonly #origin: Origin
  readonly #request: UpstreamRequest
  #sink: UpstreamSink
  #decoder: DecodingSink | undefined
  readonly #signal: StopSignal | undefined
  readonly #parser = new ReplyParser()
  #head: string
  #until: number
  #span: 'head' | 'total' | 'idle' = 'head'
  /** Whether bytes arrived, or reading resumed, since the last sweep. */
  #isAlive = false
  #connection: Connection | undefined
  #wasReused = false
  #isRepeat = false
  #isOver = false
  #isPaused = false

  constructor(
    context: ExchangeContext,
    options: { origin: Origin; request: UpstreamRequest; sink: UpstreamSink; signal: StopSignal | undefined },
  ) {
    const { request, signal } = options
    this.#context = context
    this.#origin = options.origin
    this.#request = request
    this.#sink = options.sink
    this.#signal = signal
    this.#head = writeRequestHead(request)
    this.#parser.reset(request.method === 'HEAD')
    const now = context.now()
    const { timeoutMs } = request
    this.#until = now + (timeoutMs ?? context.limits.headMs)
    if (timeoutMs !== undefined) this.#span = 'total'
  }

  begin(): void {
    const { running, pool } = this.#context
    running.add(this)
    if (this.#signal?.aborted === true) {
      this.abort(this.#signal.reason)
      return
    }
    this.#signal?.addEventListener('abort', this)
    pool.acquire(this.#origin, this, false)
  }

  /** Called when the signal aborts. */
  handleEvent(): void {
    this.abort(this.#signal?.reason)
  }

  abort(reason?: unknown): void {
    const error = requestCancelled(reason)
    if (this.#isOver) this.#decoder?.stop(error)
    else this.#fail(error)
  }

  resume(): void {
    if (this.#decoder === undefined) this.readOn()
    else this.#decoder.resume()
  }

  /** Reads on after a pause. */
  readOn(): void {
    if (!this.#isPaused || this.#isOver) return
    this.#isPaused = false
    this.#isAlive = true
    this.#connection?.socket.resume()
  }

  /** Fails the request when its time is up. The silence of an upstream is limited, except while reading is paused. */
  sweep(now: number): void {
    if (this.#isAlive && this.#span === 'idle') this.#until = now + this.#context.limits.idleMs
    this.#isAlive = false
    if (now >= this.#until) this.#fail(upstreamTimedOut(this.#span))
  }

  onConnection(connection: Connection): void {
    this.#connection = connection
    this.#wasReused = connection.served > 0
    connection.user = this
    const { socket, forwarder } = connection
    const { body } = this.#request
    const head = forwarder === undefined ? this.#head : writeRequestHead(this.#request, forwarder)
    if (body === undefined || body.length === 0) {
      socket.write(head, 'latin1')
    } else if (body.length <= ONE_WRITE_BYTES) {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      socket.write(head + bytes.toString('latin1', 0, bytes.length), 'latin1')
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
  }

  onNoConnection(error: SvcError): void {
    this.#fail(error)
  }

  onRead(buffer: Buffer, end: number): void {
    const parser = this.#parser
    const hadHead = parser.head !== undefined
    try {
      parser.execute(buffer, end)
    } catch (error) {
      this.#fail(toUpstreamFailure(error))
      return
    }
    const { head, isComplete } = parser
    if (head === undefined) return
    if (!hadHead) this.#deliverHead()
    if (this.#isOver) return
    const { bodyStart, bodyEnd } = parser
    if (bodyEnd > bodyStart) this.#deliver(isComplete)
    else if (isComplete) this.#complete()
    else this.#isAlive = true
  }

  onGone(error: Error | undefined): void {
    if (this.#isOver) return
    const parser = this.#parser
    this.#connection = undefined
    if (error === undefined && parser.finish()) {
      this.#complete()
      return
    }
    if (!parser.hasBegun && !this.#isRepeat && this.#wasReused) {
      this.#isRepeat = true
      this.#context.pool.acquire(this.#origin, this, true)
      return
    }
    const hasReply = parser.head !== undefined
    this.#fail(error === undefined && hasReply ? upstreamFailed('truncated') : toUpstreamFailure(error))
  }

  #deliverHead(): void {
    const { head } = this.#parser
    if (head === undefined) return
    if (this.#span === 'head') {
      this.#span = 'idle'
      this.#isAlive = true
    }
    // The upstream is not a proxy, so the proxy before it sent this answer.
    if (head.status === 407 && this.#connection?.forwarder !== undefined) {
      this.#fail(upstreamFailed('proxy_credentials'))
      return
    }
    const given: UpstreamHead = {
      status: head.status,
      headers: head.headers,
      lengthBytes: head.framing === 'length' || head.framing === 'none' ? head.lengthBytes : undefined,
      endsWithConnection: head.framing === 'close',
    }
    const coding = findUnasked(this.#request, given)
    if (coding !== undefined) {
      this.#decoder = new DecodingSink(coding, this.#sink, this)
      this.#sink = this.#decoder
    }
    this.#sink.head(given)
  }

  #deliver(isLast: boolean): void {
    const wantsMore = this.#sink.data(this.#parser, isLast)
    if (this.#isOver) return
    if (isLast) {
      this.#complete()
      return
    }
    if (wantsMore) {
      this.#isAlive = true
      return
    }
    this.#isPaused = true
    this.#isAlive = false
    if (this.#span === 'idle') this.#until = Number.POSITIVE_INFINITY
    this.#connection?.socket.pause()
  }

  #complete(): void {
    this.#close()
    const connection = this.#connection
    this.#connection = undefined
    if (connection !== undefined) this.#giveBack(connection)
    this.#sink.end()
  }

  /** A connection is reusable only when request and reply are complete and no bytes are left over. */
  #giveBack(connection: Connection): void {
    const { head, hasSurplus } = this.#parser
    const { socket } = connection
    if (head?.keepAlive !== true || hasSurplus || socket.writableLength > 0) {
      connection.user = undefined
      connection.destroy()
      return
    }
    if (this.#isPaused) socket.resume()
    this.#context.pool.release(connection, { now: this.#context.now(), keepAliveSeconds: head.keepAliveSeconds })
  }

  #fail(error: SvcError): void {
    if (this.#isOver) return
    this.#close()
    const connection = this.#connection
    this.#connection = undefined
    if (connection === undefined) this.#context.pool.leave(this.#origin, this)
    else {
      connection.user = undefined
      connection.destroy()
    }
    this.#sink.fail(error)
  }

  #close(): void {
    this.#isOver = true
    this.#context.running.delete(this)
    this.#signal?.removeEventListener('abort', this)
  }
}
