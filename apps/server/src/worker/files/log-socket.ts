import type { LogLine } from '../../backends/log-ring.ts'
import type { Upgrade } from '../../http/upgrade.ts'
import type { Clock } from '../../ports.ts'
import type { WorkerLogs } from './worker-logs.ts'

const MAX_AGE_MS = 60 * 60_000
const LOOK_MS = 1000
const PING_EVERY = 30
/** Bytes that may wait for a slow reader; lines beyond are missed. */
const MAX_WAITING_BYTES = 1024 * 1024
/** What a client sends changes nothing. */
const MAX_MESSAGE_BYTES = 1024

/** Writes a line as the API of the server does. */
export function toWireLine({ timestamp, stream, text }: LogLine): Record<string, string> {
  return { timestamp: new Date(timestamp).toISOString(), stream, text }
}

/** Sends the output of a model over a WebSocket: the lines so far, then each as it comes. */
export async function serveLogSocket(
  upgrade: Upgrade,
  model: string,
  { logs, clock, signal }: { readonly logs: WorkerLogs; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const { WebSocketServer } = await import('ws')
  const { request, connection, head, reply } = upgrade
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  let socket: import('ws').WebSocket | undefined
  server.on('wsClientError', () => reply.writeHead(400, { 'Content-Length': 0 }).end())
  server.handleUpgrade(request, connection, head, (accepted) => {
    socket = accepted
  })
  if (socket === undefined) return
  const open = socket
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  let isHeard = true
  open
    .on('error', () => undefined)
    .on('pong', () => {
      isHeard = true
    })
  open.on('close', () => ended.abort())
  connection.once('end', () => open.terminate())
  const send = createSender(open)
  let unfollow: (() => void) | undefined
  try {
    // Lines and listener at once, so that none is missed and none comes twice.
    send.now({ type: 'initial', lines: (logs.read(model) ?? []).map(toWireLine) })
    unfollow = logs.follow(model, send.line)
    const until = clock.monotonic() + MAX_AGE_MS
    for (let turn = 1; clock.monotonic() < until; turn += 1) {
      await clock.sleep(LOOK_MS, { signal: either })
      send.missed()
      if (unfollow === undefined) {
        unfollow = logs.follow(model, send.line)
        if (unfollow !== undefined) for (const line of logs.read(model) ?? []) send.line(line)
      }
      if (turn % PING_EVERY !== 0) continue
      if (!isHeard) open.terminate()
      isHeard = false
      open.ping()
    }
    open.close(1001, 'the socket has been open for 60 minutes')
  } catch {
    open.close(1001)
  } finally {
    unfollow?.()
  }
}

function createSender(socket: import('ws').WebSocket) {
  let missed = 0
  const now = (message: unknown): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message), () => undefined)
  }
  const tellMissed = (): void => {
    if (missed === 0 || socket.bufferedAmount > MAX_WAITING_BYTES / 2) return
    now({ type: 'missed', count: missed })
    missed = 0
  }
  return {
    now,
    missed: tellMissed,
    line(line: LogLine): void {
      tellMissed()
      if (missed > 0 || socket.bufferedAmount > MAX_WAITING_BYTES) missed += 1
      else now({ type: 'line', line: toWireLine(line) })
    },
  }
}
