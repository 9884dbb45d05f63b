import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import type { Writable } from 'node:stream'
import { type CallStatus, readHttpStatus, readReset, readTrailers } from '../call-status.ts'
import type { Connection } from '../connection/connection.ts'
import type { Session } from '../connection/session.ts'
import { type BackendError, toAbortError, toBackendError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import { toHeaders } from './call-headers.ts'
import { type Frame, FrameDecoder, FrameError } from './frame-decoder.ts'
import { inflateMessage } from './inflate.ts'
import type { CallOptions } from './options.ts'
import { listenTo, type StreamListener } from './stream-listener.ts'

/** Longest delay of a timer of Node; a longer deadline has no timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Bytes of a reply that is not of gRPC which are read before the call ends without its trailers. */
const MAX_FOREIGN_BYTES = 64 * 1024

/** Takes the messages of a call. */
export interface CallReceiver {
  /** Takes a message. May pause or end the call. */
  onMessage(bytes: Buffer, call: Call): void
  /** Called once, after the last message; without an error when the call has succeeded or {@link Call.end} got none. */
  onEnd(error: Error | undefined, call: Call): void
}

/** A call to make. */
export interface CallPlan {
  /** Such as `/backend.Backend/Predict`. */
  readonly path: string
  /** Sends the requests on the stream of the call, as soon as there is one. */
  send(stream: Writable): void
  readonly options: CallOptions
}

/**
 * One call on its HTTP/2 stream: sends the requests, cuts the reply into messages and finds out how it ended.
 */
export class Call implements StreamListener {
  readonly #connection: Connection
  readonly #plan: CallPlan
  readonly #receiver: CallReceiver
  readonly #decoder: FrameDecoder
  readonly #deadlineMs: number
  #timer: NodeJS.Timeout | undefined
  #session: Session | undefined
  #stream: ClientHttp2Stream | undefined
  #hangUp: (() => void) | undefined
  #httpStatus = 0
  #encoding = 'identity'
  #foreignBytes = 0
  /** The status from the backend; the receiver hears it after the messages before it. */
  #status: CallStatus | undefined
  #isInflating = false
  #isPaused = false
  #streamError: Error | undefined
  #hasEnded = false
  #hasClosed = false
  #isOver = false

  constructor(connection: Connection, plan: CallPlan, receiver: CallReceiver) {
    this.#connection = connection
    this.#plan = plan
    this.#receiver = receiver
    this.#decoder = new FrameDecoder(connection.maxMessageBytes)
    this.#deadlineMs = Date.now() + (plan.options.timeoutMs ?? Number.POSITIVE_INFINITY)
  }

  /** Starts the call. May end it before it returns. */
  start(): void {
    const { signal, timeoutMs } = this.#plan.options
    if (timeoutMs !== undefined && timeoutMs <= LONGEST_TIMER_MS) {
      this.#timer = setTimeout(() => this.#expire(), Math.max(0, timeoutMs))
    }
    signal?.addEventListener('abort', this.#abort)
    this.#connection.add(this)
  }

  begin(session: Session): void {
    if (this.#isOver) return
    try {
      const { path, options } = this.#plan
      const timeoutMs = this.#deadlineMs - Date.now()
      const { token } = this.#connection
      const stream = session.request(toHeaders({ path, metadata: options.metadata, token, timeoutMs }))
      this.#session = session
      this.#stream = stream
      this.#hangUp = listenTo(stream, this)
      if (this.#isPaused) stream.pause()
      this.#plan.send(stream)
    } catch (error) {
      // An open session refuses nothing but the call itself, and takes others.
      const code = session.isOpen ? GRPC.INTERNAL : GRPC.UNAVAILABLE
      const details = error instanceof Error ? error.message : String(error)
      this.fail({ code, details: `the call could not be sent: ${details}` })
    }
  }

  /** Reads a message. Bytes that are not a message end the call. */
  decode<Message>(read: (bytes: Buffer) => Message, bytes: Buffer): Message | undefined {
    try {
      return read(bytes)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.fail({ code: GRPC.INTERNAL, details: `a reply of the backend cannot be read: ${reason}` })
      return
    }
  }

  /** The error for a status. */
  toError(status: CallStatus): BackendError {
    // The log of a host shows causes: there the text of the status says more than the fixed sentences of the error.
    const cause = this.#streamError ?? new Error(status.details || `gRPC status ${status.code}`)
    const { maxMessageBytes } = this.#connection
    return toBackendError({ ...status, cause }, { path: this.#plan.path, maxMessageBytes })
  }

  /** Ends the call with a status of this side. */
  fail(status: CallStatus): void {
    this.end(this.toError(status))
  }

  /** Ends the call from this side; the backend hears of it. The receiver gets the error. */
  end(error: Error | undefined): void {
    if (this.#isOver) return
    this.#reset(constants.NGHTTP2_CANCEL)
    this.#finish(error)
  }

  /** Holds messages back. One that is being taken apart may still come. */
  pause(): void {
    this.#isPaused = true
    this.#stream?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (!this.#isInflating) this.#stream?.resume()
  }

  readonly #abort = (): void => {
    const { signal } = this.#plan.options
    if (signal) this.end(toAbortError(signal, this.#plan.path))
  }

  #expire(): void {
    this.fail({ code: GRPC.DEADLINE_EXCEEDED, details: 'the backend did not answer in time' })
  }

  onResponse(headers: IncomingHttpHeaders & IncomingHttpStatusHeader, flags: number): void {
    this.#httpStatus = headers[':status'] ?? 0
    const { 'content-type': type = 'application/grpc', 'grpc-encoding': encoding } = headers
    if (typeof encoding === 'string') this.#encoding = encoding
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) this.onTrailers(headers)
    else if (this.#httpStatus === 200 && !type.startsWith('application/grpc')) {
      this.fail({ code: GRPC.UNKNOWN, details: `the backend answered with ${type.slice(0, 100)}, not with gRPC` })
    }
  }

  onData(chunk: Buffer): void {
    if (this.#httpStatus === 200) {
      this.#decoder.push(chunk)
      this.#readMessages()
    } else this.#skipForeign(chunk)
  }

  /** The body of an error page. A status of gRPC in its trailers counts, so some of it is waited for. */
  #skipForeign(chunk: Buffer): void {
    this.#foreignBytes += chunk.length
    if (this.#foreignBytes > MAX_FOREIGN_BYTES) this.fail(readHttpStatus(this.#httpStatus))
  }

  #readMessages(): void {
    try {
      while (!this.#isOver && !this.#isInflating) {
        const frame = this.#decoder.next()
        if (frame === undefined) break
        if (frame.isCompressed) this.#inflate(frame)
        else this.#receiver.onMessage(frame.bytes, this)
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.fail({ code: error.isTooLarge ? GRPC.RESOURCE_EXHAUSTED : GRPC.INTERNAL, details: error.message })
    }
    this.#finishWhenRead()
  }

  #inflate({ bytes }: Frame): void {
    this.#isInflating = true
    this.#stream?.pause()
    const { maxMessageBytes } = this.#connection
    inflateMessage(bytes, { encoding: this.#encoding, maxMessageBytes }, (result) => {
      this.#isInflating = false
      if (this.#isOver) return
      if (Buffer.isBuffer(result)) this.#receiver.onMessage(result, this)
      else this.fail(result)
      if (!this.#isPaused) this.#stream?.resume()
      this.#readMessages()
      if (this.#hasClosed) this.onClose()
    })
  }

  onTrailers(headers: IncomingHttpHeaders): void {
    this.#status = readTrailers(headers, this.#httpStatus)
    this.#finishWhenRead()
  }

  onStreamEnd(): void {
    this.#hasEnded = true
    this.#finishWhenRead()
    if (this.#isOver || this.#status !== undefined || this.#stream?.writableFinished !== false) return
    // No close follows while requests are left to send. Trailers that end the reply come right behind this event.
    setImmediate(() => this.onClose())
  }

  /** The close that follows says more. */
  onError(error: Error): void {
    this.#streamError = error
  }

  /** Nothing more comes on the stream. Where no trailers came, the code of its reset says why. */
  onClose(): void {
    this.#hasClosed = true
    if (this.#isOver || this.#isInflating) return
    // A stream that is destroyed drops the bytes that were not read: a good end would hide that the last of them are gone.
    const isCut = this.#status?.code === GRPC.OK && !this.#hasEnded && (this.#stream?.readableLength ?? 0) > 0
    if (this.#status === undefined || isCut) {
      this.fail(this.#readClose(this.#stream?.rstCode ?? constants.NGHTTP2_CANCEL))
    } else this.#complete(this.#status)
  }

  #readClose(code: number): CallStatus {
    const loss = this.#session?.lossStatus
    if (loss !== undefined) return loss
    const isForeign = code === constants.NGHTTP2_NO_ERROR && this.#httpStatus !== 0 && this.#httpStatus !== 200
    return isForeign ? readHttpStatus(this.#httpStatus) : readReset(code)
  }

  /** Ends the call when its status and all its messages are here. */
  #finishWhenRead(): void {
    if (this.#isOver || this.#isInflating || this.#status === undefined) return
    if (this.#hasEnded || this.#stream?.readableLength === 0) this.#complete(this.#status)
  }

  #complete(status: CallStatus): void {
    // A backend that answers without reading the requests to their end leaves the rest of them waiting.
    if (this.#stream?.writableFinished === false) this.#reset(constants.NGHTTP2_CANCEL)
    if (status.code !== GRPC.OK) this.#finish(this.toError(status))
    else if (!this.#decoder.isBetweenMessages) {
      this.#finish(this.toError({ code: GRPC.INTERNAL, details: 'the reply ends inside a message' }))
    } else {
      this.#plan.options.onTrailers?.(status.trailers ?? {})
      this.#finish(undefined)
    }
  }

  #reset(code: number): void {
    const stream = this.#stream
    if (stream === undefined || stream.destroyed) return
    // Node keeps a stream that has closed until all of it is read and written, and nobody reads or writes it any more.
    if (stream.closed) {
      stream.destroy()
      return
    }
    stream.close(code)
    // Lets a stream that was held back come to its end.
    stream.resume()
    this.#session?.countReset()
  }

  #finish(error: Error | undefined): void {
    this.#isOver = true
    this.#hangUp?.()
    clearTimeout(this.#timer)
    this.#plan.options.signal?.removeEventListener('abort', this.#abort)
    this.#connection.remove(this)
    this.#session?.release()
    this.#receiver.onEnd(error, this)
  }
}
