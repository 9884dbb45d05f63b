import { send } from '../api-client.ts'
import { ApiError, readFailure } from '../api-error.ts'
import { toSocketUrl, toUrl } from '../base-path.ts'
import { type LinkOptions, MAX_WAITING_BYTES, type RealtimeLink, STALLED } from './link.ts'

/** The subprotocol that the server answers with. */
const PROTOCOL = 'realtime'

/**
 * Opens a conversation over a WebSocket. The session of the browser signs the caller in.
 *
 * @throws ApiError when the server refuses it, or does not answer; the reason of the signal
 */
export async function openSocket({ model, listener, signal }: LinkOptions): Promise<RealtimeLink> {
  signal.throwIfAborted()
  const path = `/v1/realtime?model=${encodeURIComponent(model)}`
  const socket = new WebSocket(toSocketUrl(path), PROTOCOL)
  let isOver = false
  const close = () => {
    isOver = true
    socket.close(1000)
  }
  socket.onmessage = ({ data }) => {
    if (!isOver && typeof data === 'string') listener.onEvent(data)
  }
  const wasOpened = await new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true)
    socket.onclose = () => resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  if (signal.aborted) close()
  signal.throwIfAborted()
  if (!wasOpened) throw await explainRefusal(toUrl(path), signal)
  const end = (reason: { readonly code: number; readonly reason: string }) => {
    if (isOver) return
    isOver = true
    listener.onEnd({ code: reason.code, reason: reason.reason })
  }
  socket.onclose = end
  return {
    transport: 'websocket',
    send(event) {
      if (isOver || socket.readyState !== WebSocket.OPEN) return
      if (socket.bufferedAmount > MAX_WAITING_BYTES) {
        end(STALLED)
        socket.close()
      } else socket.send(JSON.stringify(event))
    },
    close,
  }
}

/** Asks the same address without a WebSocket: browsers do not tell why a handshake was refused. */
async function explainRefusal(address: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await send(address, { signal })
    const failure = readFailure(response, await response.json().catch(() => undefined))
    if (!response.ok && response.status !== 426 && failure.code !== 'upgrade_required') return failure
    // the request itself was fine: something on the way does not let sockets through
    return new ApiError('The WebSocket could not be opened.', { status: 426, code: 'socket_failed' })
  } catch (error) {
    return error
  }
}
