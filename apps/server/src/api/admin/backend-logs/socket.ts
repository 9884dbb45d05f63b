import { SvcError } from '@svc/errors'
import type { LogReader } from '../../../backends/log-ring.ts'
import type { Socket } from '../../../http/websocket.ts'
import { type BackendLogParts, toWireLine } from './wire-line.ts'

/** Age at which a socket ends. Its client opens another one and is authenticated again. */
const MAX_AGE_MS = 60 * 60_000
/** Pause after which output that a flood holds back is read, and a model that had none is looked for again. */
const LOOK_MS = 1000

/** Sends the present output of a model's backends, then each line as it comes. Ends with the socket. */
export async function serveLogs(socket: Socket, model: string, { logs, clock }: BackendLogParts): Promise<void> {
  const ended = new AbortController()
  const listening = listen(socket, ended)
  const until = clock.monotonic() + MAX_AGE_MS
  let reader: LogReader | undefined
  let next = 0
  try {
    // Lines and reader at once, so that none is missed and none comes twice.
    const lines = logs.lines(model)
    reader = logs.follow(model)
    next = reader?.position ?? 0
    await socket.send(JSON.stringify({ type: 'initial', lines: lines.map(toWireLine) }))
    while (!ended.signal.aborted && clock.monotonic() < until) {
      reader ??= logs.follow(model, 0)
      await waitForLines(reader, { clock, signal: ended.signal })
      logs.flush()
      const batch = reader?.take()
      // The ring of a model that nobody has used for long is dropped; a later one begins again.
      if (batch === undefined) {
        reader?.close()
        reader = undefined
        next = 0
        continue
      }
      if (batch.first > next) await socket.send(JSON.stringify({ type: 'missed', count: batch.first - next }))
      for (const line of batch.events) await socket.send(JSON.stringify({ type: 'line', line: toWireLine(line) }))
      next = batch.first + batch.events.length
    }
    if (!ended.signal.aborted) socket.close(1001, 'the socket has been open for 60 minutes')
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'cancelled') {
      if (!SvcError.is(error)) throw error
      socket.close(1013, error.message)
    }
  } finally {
    reader?.close()
    ended.abort()
    await listening
  }
}

/** Reads on while the socket is open: messages of a client change nothing. */
async function listen(socket: Socket, ended: AbortController): Promise<void> {
  try {
    for await (const _message of socket.messages({ until: ended.signal }));
  } finally {
    ended.abort()
  }
}

async function waitForLines(
  reader: LogReader | undefined,
  { clock, signal }: { readonly clock: BackendLogParts['clock']; readonly signal: AbortSignal },
): Promise<void> {
  const waited = new AbortController()
  const either = AbortSignal.any([signal, waited.signal])
  const timeUp = clock.sleep(LOOK_MS, { signal: either }).catch(() => undefined)
  await Promise.race(reader === undefined ? [timeUp] : [reader.wait(either), timeUp])
  waited.abort()
}
