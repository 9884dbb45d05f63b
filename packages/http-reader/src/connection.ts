import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { endConnection, LINGER_BYTES, LINGER_MS } from './end-connection.ts'
import { watchHalfClosed } from './half-closed.ts'
import { MAX_AHEAD_BYTES } from './limits.ts'
import type { PlainRequest } from './plain-request.ts'
import { Reply, type ReplySink } from './reply.ts'
import { HeadReader, type RequestHead } from './request-head.ts'
import { watchUnread } from './unread-watch.ts'
import { writeBytes } from './write-bytes.ts'

/** Bytes of a body that wait for the handler. */
const BODY_WINDOW_BYTES = 65_536

/** The state of a connection. */
export type ConnectionPhase =
  /** It has never carried a request. */
  | 'unused'
  | 'idle'
  /** The body of a request is still to come. */
  | 'receiving'
  | 'answering'

/** The server of a connection. */
export interface ConnectionHost {
  /** The value of `Keep-Alive`, seconds. */
  readonly keepAliveSeconds: number
  /** Milliseconds that a client may take nothing of a reply that is complete. */
  readonly unreadMs: number
  /** Whether no further request is taken. */
  readonly isDraining: boolean
  /** Whether `serve` answers such a request; others are handed over. */
  accepts(head: RequestHead): boolean
  serve(request: PlainRequest, reply: Reply): void
  /** Takes the socket over. All bytes that belong to no served request are put back into it. */
  handOver(socket: Socket): void
  /** Called when the phase has changed. */
  onPhase(connection: Connection): void
  /** Called when the connection has closed, and before it is handed over. */
  onGone(connection: Connection): void
}

/**
 * A connection whose requests are read here as long as they are plain and accepted. With the first other bytes the
 * socket is handed over for good. Requests are answered one at a time, in order.
 */
export class Connection implements ReplySink {
  /** For the list of connections: the sweep in which the phase began. */
  since = 0
  phase: ConnectionPhase = 'unused'
  keepsAlive = true
  readonly socket: Socket
  readonly #host: ConnectionHost
  readonly #heads = new HeadReader()
  #reply: Reply | undefined
  /** Whether no request follows the current one. */
  #isLast = false
  /** Whether the client has ended its half. Requests that came before are answered. */
  #hasEnded = false
  /** Bytes that came after the current request. */
  #ahead: Buffer | undefined
  /** Bytes of the body that are still to come. */
  #missing = 0
  /** The body of the current request while its handler may read it. */
  #body: Readable | undefined
  /** Bytes that may still be dropped of a body that its reply did not wait for. */
  #droppable = LINGER_BYTES
  #dropping: NodeJS.Timeout | undefined
  /** Ends the watch of the client that has ended its half, or takes nothing of its reply. */
  #unwatch = ignore

  constructor(socket: Socket, host: ConnectionHost) {
    this.socket = socket
    this.#host = host
    socket
      .on('data', this.#onData)
      .on('drain', this.#onDrain)
      .on('end', this.#onEnd)
      .on('error', ignore)
      .on('close', this.#onClose)
  }

  connectionLines(keepsAlive: boolean): string {
    const isLast = this.#hasEnded && this.#ahead === undefined
    if (!keepsAlive || isLast || this.#host.isDraining) return 'Connection: close\r\n'
    return `Connection: keep-alive\r\nKeep-Alive: timeout=${this.#host.keepAliveSeconds}\r\n`
  }

  send(text: string, encoding: 'latin1' | 'utf8'): boolean {
    return this.socket.write(text, encoding)
  }

  sendBytes(head: string, bytes: Uint8Array, tail: string): boolean {
    return writeBytes(this.socket, head, bytes, tail)
  }

  finish(keepsAlive: boolean): void {
    this.#isLast = !keepsAlive || this.#host.isDraining
    if (this.#missing > 0) this.#dropBody()
    this.#unwatch()
    if (this.socket.writableLength === 0) {
      process.nextTick(this.#onSent)
      return
    }
    // An empty write calls back when everything before it is out.
    this.#unwatch = watchUnread(this.socket, this.#host)
    this.socket.write('', this.#onSent)
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** Whether no request is under way. */
  get isIdle(): boolean {
    return !this.socket.destroyed && (this.phase === 'idle' || this.phase === 'unused')
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#missing > 0) this.#takeBody(chunk)
    else if (this.#reply !== undefined) this.#keepAhead(chunk)
    else this.#read(chunk)
  }

  #read(bytes: Buffer): void {
    const head = this.#heads.read(bytes)
    if (head === undefined || !this.#host.accepts(head)) {
      this.#handOver(bytes)
      return
    }
    if (this.#hasEnded && bytes.length - head.endsAt < head.contentLength) {
      this.socket.destroySoon()
      return
    }
    const { method, target: url, headers, rawHeaders, endsAt, contentLength, keepsAlive } = head
    this.keepsAlive = keepsAlive
    this.#missing = contentLength
    this.#body = undefined
    const isWhole = bytes.length - endsAt >= contentLength
    const body = isWhole ? bytes.subarray(endsAt, endsAt + contentLength) : this.#openBody()
    const reply = new Reply(this, head)
    this.#reply = reply
    if (isWhole) {
      this.#missing = 0
      if (bytes.length > endsAt + contentLength) this.#keepAhead(bytes.subarray(endsAt + contentLength))
    }
    this.#move(isWhole ? 'answering' : 'receiving')
    if (!isWhole && bytes.length > endsAt) this.#takeBody(bytes.subarray(endsAt))
    this.#host.serve({ method, url, headers, rawHeaders, socket: this.socket, body, keepsAlive }, reply)
    if (this.#hasEnded && !reply.writableEnded) this.#unwatch = watchHalfClosed(reply, this)
  }

  #openBody(): Readable {
    this.#body = new Readable({ highWaterMark: BODY_WINDOW_BYTES, read: () => this.socket.resume() })
    // A handler need not listen for errors; the reply tells it that the connection has ended.
    this.#body.on('error', ignore)
    return this.#body
  }

  /** Reads and drops the rest of a body, so that its sender gets to read the reply. */
  #dropBody(): void {
    this.#body = undefined
    this.#droppable = LINGER_BYTES
    this.#dropping = setTimeout(() => this.socket.destroy(), LINGER_MS)
    this.socket.resume()
  }

  #takeBody(chunk: Buffer): void {
    const piece = chunk.length > this.#missing ? chunk.subarray(0, this.#missing) : chunk
    this.#missing -= piece.length
    if (this.#body?.push(piece) === false) this.socket.pause()
    if (this.#dropping !== undefined) {
      this.#droppable -= piece.length
      if (this.#droppable < 0) this.socket.destroy()
    }
    if (this.#missing > 0) return
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
   * Keeps bytes for later. The end of a connection that is not read goes unnoticed, so reading never pauses while a
   * handler works: a client that sends too much meanwhile is cut off. Nothing is read while a complete reply waits for
   * its client: a client that sends bytes would put the time limit off.
   */
  #keepAhead(chunk: Buffer): void {
    this.#ahead = this.#ahead === undefined ? chunk : Buffer.concat([this.#ahead, chunk])
    if (this.#reply?.writableEnded === true) this.socket.pause()
    else if (this.#ahead.length > MAX_AHEAD_BYTES) this.socket.destroy()
  }

  readonly #onSent = (error?: Error | null): void => {
    this.#unwatch()
    const reply = this.#reply
    // `close` of the socket ends a reply that did not get out.
    if (reply === undefined || reply.destroyed || error || this.socket.destroyed) return
    this.#reply = undefined
    reply.sent()
    this.#body = undefined
    // Else the next request waits until the rest of the body has been dropped.
    if (this.#missing === 0 || this.#isOver) this.#next()
  }

  get #isOver(): boolean {
    return this.#isLast || this.#host.isDraining || (this.#hasEnded && this.#missing > 0)
  }

  /** Goes on with the bytes that have come meanwhile. Nothing that follows the last reply is read. */
  #next(): void {
    if (this.#isOver) {
      this.#endDropping()
      this.socket.off('data', this.#onData)
      if (this.#missing > 0 || this.#ahead !== undefined) endConnection(this.socket)
      else this.socket.destroySoon()
      return
    }
    const ahead = this.#ahead
    if (ahead === undefined && this.#hasEnded) {
      this.socket.destroySoon()
      return
    }
    this.#move('idle')
    if (ahead === undefined) return
    this.#ahead = undefined
    this.socket.resume()
    this.#read(ahead)
  }

  #move(phase: ConnectionPhase): void {
    this.phase = phase
    this.#host.onPhase(this)
  }

  #handOver(bytes: Buffer): void {
    const socket = this.socket
    // Nothing can be put back into a socket whose end has been read.
    if (this.#hasEnded) {
      socket.destroySoon()
      return
    }
    socket
      .off('data', this.#onData)
      .off('drain', this.#onDrain)
      .off('end', this.#onEnd)
      .off('error', ignore)
      .off('close', this.#onClose)
    this.#host.onGone(this)
    socket.pause()
    socket.unshift(bytes)
    this.#host.handOver(socket)
    // A socket that was paused stays so until it is resumed, whatever listens to it.
    socket.resume()
  }

  readonly #onDrain = (): void => {
    this.#reply?.emit('drain')
  }

  /**
   * Takes note that the client sends nothing more. Its whole requests are answered all the same. A client that ends its
   * half in the middle of a body or of a reply has left.
   */
  readonly #onEnd = (): void => {
    this.#hasEnded = true
    const reply = this.#reply
    if (reply === undefined) this.socket.destroySoon()
    else if (reply.writableEnded) return
    else if (this.#missing > 0 || reply.headersSent) this.socket.destroy()
    else this.#unwatch = watchHalfClosed(reply, this)
  }

  readonly #onClose = (): void => {
    this.#host.onGone(this)
    this.#unwatch()
    this.#endDropping()
    this.#body?.destroy(new Error('the connection has ended'))
    const reply = this.#reply
    this.#reply = undefined
    reply?.closed()
  }
}

function ignore(): void {}
