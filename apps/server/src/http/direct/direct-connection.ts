import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { endConnection, LINGER_BYTES, LINGER_MS } from '../linger.ts'
import type { ServerRequest } from '../messages.ts'
import { DirectReply, type ReplySink } from './direct-reply.ts'
import { HeadReader, type RequestHead } from './request-head.ts'

/** Most bytes that are read ahead while a reply is awaited. */
export const MAX_AHEAD_BYTES = 65_536
/** Bytes of a body that wait for whoever reads it. */
const BODY_WINDOW_BYTES = 65_536

/** What a connection is doing. */
export type ConnectionPhase =
  /** It has never carried a request. */
  | 'unused'
  | 'idle'
  /** The body of a request is still to come. */
  | 'receiving'
  | 'answering'

/** What a connection needs of the server. */
export interface ConnectionHost {
  /** What `Keep-Alive` says, seconds. */
  readonly keepAliveSeconds: number
  /** Milliseconds that a client may take nothing of a reply that has ended, before it is cut off (threats REL-3). */
  readonly unreadMs: number
  /** Whether no further request is taken. */
  readonly isDraining: boolean
  /** Whether {@link serve} has an answer. */
  serves(head: RequestHead): boolean
  serve(incoming: ServerRequest, outgoing: DirectReply): void
  /** Takes the socket over, with what was read of it put back. */
  handOver(socket: Socket): void
  /** The phase has changed. */
  moved(connection: DirectConnection): void
  /** The connection is gone, or in other hands. */
  left(connection: DirectConnection): unknown
}

/**
 * A connection that the server reads itself, as long as its requests are plain and such as the server serves directly. With
 * the first that is not, the socket goes to Node's HTTP server for good. One request is answered at a time.
 */
export class DirectConnection implements ReplySink {
  /** Owned by the list of connections: when the phase began. */
  since = 0
  phase: ConnectionPhase = 'unused'
  keepsAlive = true
  readonly socket: Socket
  readonly #host: ConnectionHost
  readonly #heads = new HeadReader()
  #reply: DirectReply | undefined
  /** Whether the reply said that no other follows. */
  #isLast = false
  /** What came after the request that is being answered. */
  #ahead: Buffer | undefined
  /** Bytes of the body that are still to come. */
  #awaited = 0
  /** Who gets them; nobody once the reply has gone out without them. */
  #body: Readable | undefined
  /** Bytes that may still be dropped of a body that its reply did not wait for. */
  #droppable = LINGER_BYTES
  #dropping: NodeJS.Timeout | undefined

  constructor(socket: Socket, host: ConnectionHost) {
    this.socket = socket
    this.#host = host
    socket
      .on('data', this.#onData)
      .on('drain', this.#onDrain)
      .on('end', this.#onEnd)
      .on('timeout', this.#onUnread)
      .on('error', this.#onError)
      .on('close', this.#onClose)
  }

  connectionLines(keepsAlive: boolean): string {
    if (!keepsAlive || this.#host.isDraining) return 'Connection: close\r\n'
    return `Connection: keep-alive\r\nKeep-Alive: timeout=${this.#host.keepAliveSeconds}\r\n`
  }

  send(text: string, encoding: 'latin1' | 'utf8'): boolean {
    return this.socket.write(text, encoding)
  }

  sendBytes(head: string, bytes: Uint8Array, tail: string): boolean {
    this.socket.cork()
    if (head !== '') this.socket.write(head, 'latin1')
    const isTaken = this.socket.write(bytes)
    if (tail !== '') this.socket.write(tail, 'latin1')
    this.socket.uncork()
    return isTaken
  }

  finish(keepsAlive: boolean): void {
    this.#isLast = !keepsAlive || this.#host.isDraining
    if (this.#awaited > 0) this.#dropBody()
    // An empty write calls back once everything before it is out.
    if (this.socket.writableLength === 0) {
      process.nextTick(this.#onSent)
      return
    }
    this.socket.setTimeout(this.#host.unreadMs).write('', this.#onRead)
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** Whether no request is under way. */
  get isIdle(): boolean {
    return !this.socket.destroyed && (this.phase === 'idle' || this.phase === 'unused')
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#awaited > 0) this.#takeBody(chunk)
    else if (this.#reply !== undefined) this.#keepAhead(chunk)
    else this.#read(chunk)
  }

  #read(bytes: Buffer): void {
    const head = this.#heads.read(bytes)
    if (head === undefined || !this.#host.serves(head)) {
      this.#handOver(bytes)
      return
    }
    const { endsAt, contentLength, keepsAlive } = head
    this.keepsAlive = keepsAlive
    this.#awaited = contentLength
    this.#body = undefined
    const isWhole = bytes.length - endsAt >= contentLength
    const body = isWhole ? bytes.subarray(endsAt, endsAt + contentLength) : this.#openBody()
    const { method, target, headers, rawHeaders } = head
    const reply = new DirectReply(this)
    this.#reply = reply
    if (isWhole) {
      this.#awaited = 0
      if (bytes.length > endsAt + contentLength) this.#keepAhead(bytes.subarray(endsAt + contentLength))
    }
    this.#move(isWhole ? 'answering' : 'receiving')
    if (!isWhole && bytes.length > endsAt) this.#takeBody(bytes.subarray(endsAt))
    this.#host.serve({ method, url: target, headers, rawHeaders, socket: this.socket, body }, reply)
  }

  #openBody(): Readable {
    this.#body = new Readable({ highWaterMark: BODY_WINDOW_BYTES, read: () => this.socket.resume() })
    // Who reads it hears of the end of the connection in other ways too; nobody has to.
    this.#body.on('error', () => undefined)
    return this.#body
  }

  /** Reads and drops what still comes of a body, so that its sender gets to read the reply. */
  #dropBody(): void {
    this.#body = undefined
    this.#droppable = LINGER_BYTES
    this.#dropping = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.resume()
  }

  #takeBody(chunk: Buffer): void {
    const piece = chunk.length > this.#awaited ? chunk.subarray(0, this.#awaited) : chunk
    this.#awaited -= piece.length
    if (this.#body?.push(piece) === false) this.socket.pause()
    if (this.#dropping !== undefined) {
      this.#droppable -= piece.length
      if (this.#droppable < 0) this.socket.destroy()
    }
    if (this.#awaited > 0) return
    this.#endDropping()
    this.#body?.push(null)
    this.socket.resume()
    if (chunk.length > piece.length) this.#keepAhead(chunk.subarray(piece.length))
    if (this.#reply === undefined) this.#next()
    else this.#move('answering')
  }

  #endDropping(): void {
    clearTimeout(this.#dropping)
    this.#dropping = undefined
  }

  /**
   * Of a connection that is not read nobody notices that its client has left: one that sends too much while a reply is
   * awaited ends. A reply that is on its way out has a limit of its own.
   */
  #keepAhead(chunk: Buffer): void {
    this.#ahead = this.#ahead === undefined ? chunk : Buffer.concat([this.#ahead, chunk])
    if (this.#ahead.length <= MAX_AHEAD_BYTES) return
    if (this.#reply?.writableEnded === true) this.socket.pause()
    else this.socket.destroy()
  }

  readonly #onRead = (error?: Error | null): void => {
    this.socket.setTimeout(0)
    this.#onSent(error)
  }

  readonly #onSent = (error?: Error | null): void => {
    const reply = this.#reply
    // What did not get out is closed with the connection.
    if (reply === undefined || reply.destroyed || error || this.socket.destroyed) return
    this.#reply = undefined
    reply.sent()
    this.#body = undefined
    // What is left of the body is still being dropped.
    if (this.#awaited === 0 || this.#isOver) this.#next()
  }

  get #isOver(): boolean {
    return this.#isLast || this.#host.isDraining
  }

  /** Goes on with what has come meanwhile. Behind the last reply that is nothing, whatever still comes. */
  #next(): void {
    if (this.#isOver) {
      this.#endDropping()
      this.socket.off('data', this.#onData)
      if (this.#awaited > 0 || this.#ahead !== undefined) endConnection(this.socket)
      else this.socket.destroySoon()
      return
    }
    this.#move('idle')
    const ahead = this.#ahead
    if (ahead === undefined) return
    this.#ahead = undefined
    this.socket.resume()
    this.#read(ahead)
  }

  #move(phase: ConnectionPhase): void {
    this.phase = phase
    this.#host.moved(this)
  }

  #handOver(bytes: Buffer): void {
    const socket = this.socket
    socket
      .off('data', this.#onData)
      .off('drain', this.#onDrain)
      .off('end', this.#onEnd)
      .off('timeout', this.#onUnread)
      .off('error', this.#onError)
      .off('close', this.#onClose)
    this.#host.left(this)
    socket.pause()
    socket.unshift(bytes)
    this.#host.handOver(socket)
    socket.resume()
  }

  readonly #onDrain = (): void => {
    this.#reply?.emit('drain')
  }

  /** A client that sends nothing more is taken to have left, as Node takes it; it still gets a reply that has ended. */
  readonly #onEnd = (): void => {
    if (this.#reply === undefined) this.socket.end()
    else if (this.#reply.writableEnded) this.#isLast = true
    else this.socket.destroy()
  }

  readonly #onUnread = (): void => {
    this.socket.destroy()
  }

  readonly #onError = (): void => undefined

  readonly #onClose = (): void => {
    this.#host.left(this)
    this.#endDropping()
    this.#body?.destroy(new Error('the connection has ended'))
    const reply = this.#reply
    this.#reply = undefined
    reply?.closed()
  }
}
