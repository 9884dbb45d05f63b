import { SvcError } from '@svc/errors'
import type { WebSocket } from 'ws'

/** Largest message of a worker, bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Unread messages, and their bytes, after which a worker is not read any more. */
const MAX_WAITING = 16
const MAX_WAITING_BYTES = 1024 * 1024
/** Longest handshake, milliseconds. */
const HANDSHAKE_MS = 15_000
/** Time between two pings, milliseconds. A worker that is silent for a whole one is gone. */
const PING_MS = 30_000

/** A socket at a worker. */
export interface WorkerSocket {
  readonly url: string
  readonly authorization: string
}

/**
 * Reads the text messages of a worker's socket in their order, until the worker closes it. The socket is closed when the
 * reader stops or the signal aborts.
 *
 * @throws {SvcError} `upstream_failed`, code `node_logs`, when the worker refuses or is lost
 */
export async function* readWorkerSocket(
  { url, authorization }: WorkerSocket,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const { WebSocket } = await import('ws')
  signal.throwIfAborted()
  const socket = new WebSocket(url, {
    headers: { authorization },
    followRedirects: false,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  })
  const end = (): void => socket.terminate()
  const stopPings = keepAlive(socket)
  signal.addEventListener('abort', end, { once: true })
  try {
    yield* readMessages(socket)
  } finally {
    signal.removeEventListener('abort', end)
    stopPings()
    end()
  }
}

async function* readMessages(socket: WebSocket): AsyncGenerator<string, void, undefined> {
  const waiting: { readonly text: string; readonly bytes: number }[] = []
  let waitingBytes = 0
  const isFull = (): boolean => waiting.length >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES
  let isOver = false
  let failure: SvcError | undefined
  let wake = (): void => undefined
  const fail = (message: string, cause?: unknown): void => {
    failure ??= new SvcError('upstream_failed', message, { code: 'node_logs', cause })
    isOver = true
    wake()
  }
  socket.on('message', (data) => {
    const text = String(data)
    const bytes = Buffer.byteLength(text)
    waiting.push({ text, bytes })
    waitingBytes += bytes
    if (isFull()) socket.pause()
    wake()
  })
  socket.once('unexpected-response', (_request, response) => {
    fail(`the worker answers with status ${response.statusCode ?? 0}`)
    socket.terminate()
  })
  socket.on('error', (error) => fail('the worker cannot be reached', error))
  socket.once('close', (code) => {
    // A worker that ends in order says so.
    if (code === 1006) fail('the connection to the worker is lost')
    isOver = true
    wake()
  })
  for (;;) {
    const next = waiting.shift()
    if (next !== undefined) {
      waitingBytes -= next.bytes
      if (socket.isPaused && !isFull()) socket.resume()
      yield next.text
    } else if (!isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    } else if (failure === undefined) return
    else throw failure
  }
}

/** Asks a worker again and again whether it is there. @returns ends this */
function keepAlive(socket: WebSocket): () => void {
  let hasHeard = true
  const hear = (): void => {
    hasHeard = true
  }
  for (const event of ['message', 'ping', 'pong', 'open']) socket.on(event, hear)
  const pinging = setInterval(() => {
    // A worker that is not read cannot be heard.
    if (!hasHeard && !socket.isPaused) socket.terminate()
    hasHeard = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }, PING_MS)
  return () => clearInterval(pinging)
}
