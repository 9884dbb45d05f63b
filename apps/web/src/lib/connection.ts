import { useSyncExternalStore } from 'react'
import { ApiError } from './api-error.ts'
import { toUrl } from './base-path.ts'

/** Whether the server answers. */
export interface Connection {
  readonly state: 'online' | 'offline'
  /** Time of the last reply, in milliseconds since 1970. */
  readonly lastReplyAt: number
}

const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000]
/**
 * The longest time that a server takes to say that it lives. A page at rest asks about five seconds after the last reply,
 * so that a server that takes requests and answers none is noticed within ten.
 */
const HANG_MS = 3_000
/** Failures in a row that mean the server is away. */
const FAILURES_UNTIL_OFFLINE = 2

const listeners = new Set<() => void>()
const recoveries = new Set<() => void>()
let connection: Connection = { state: 'online', lastReplyAt: Date.now() }
let failures = 0
let probe: ReturnType<typeof setTimeout> | undefined
let waiting = new AbortController()

/** A request got a reply, of any status. */
export function reportReply(): void {
  const wasOffline = connection.state === 'offline'
  failures = 0
  clearTimeout(probe)
  probe = undefined
  connection = { state: 'online', lastReplyAt: Date.now() }
  if (!wasOffline) return
  for (const listener of listeners) listener()
  for (const recover of recoveries) recover()
}

/** A request got no reply. */
export function reportSilence(): void {
  failures += 1
  if (failures >= FAILURES_UNTIL_OFFLINE || !navigator.onLine) goOffline()
  scheduleProbe()
}

function goOffline(): void {
  if (connection.state === 'offline') return
  connection = { ...connection, state: 'offline' }
  // a question that hangs would keep its page waiting after the server is back
  waiting.abort(new ApiError('The server does not answer.'))
  waiting = new AbortController()
  for (const listener of listeners) listener()
}

/** Asks for the health of the server: at once after the first failure, then more and more rarely. */
function scheduleProbe(): void {
  if (probe !== undefined) return
  const delay = failures < FAILURES_UNTIL_OFFLINE ? 0 : (RETRY_MS[failures - FAILURES_UNTIL_OFFLINE] ?? 30_000)
  probe = setTimeout(() => {
    probe = undefined
    void checkHealth()
  }, delay)
}

/** Sends one request to find out whether the server answers. A single timeout means that the server is away. */
export async function checkHealth(): Promise<boolean> {
  const signal = AbortSignal.timeout(HANG_MS)
  try {
    const response = await fetch(toUrl('/healthz'), { cache: 'no-store', signal })
    await response.text()
    reportReply()
    return true
  } catch {
    if (signal.aborted) failures = Math.max(failures, FAILURES_UNTIL_OFFLINE - 1)
    reportSilence()
    return false
  }
}

/** Aborts with an {@link ApiError} when the server is found to be away, for requests that only read. */
export function untilAway(): AbortSignal {
  return waiting.signal
}

/** Calls back each time the server answers again. @returns a function that ends it */
export function onRecovery(recover: () => void): () => void {
  recoveries.add(recover)
  return () => recoveries.delete(recover)
}

addEventListener('offline', reportSilence)
addEventListener('online', () => void checkHealth())

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the server answers now. */
export function readConnection(): Connection {
  return connection
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, readConnection)
}
