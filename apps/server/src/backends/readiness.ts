import { connect } from 'node:net'
import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'
import { findListenerOwner } from './listener-owner.ts'
import { toPublicReason } from './log-text.ts'
import type { BackendProcess, ExitReport } from './process.ts'

const POLL_MS = 25
const HEALTH_TIMEOUT_MS = 10_000
const NOT_READY = 'grpc service not ready'

/** Backend and time limit of a wait. */
export interface ReadinessOptions {
  readonly client: BackendClient
  /** The process behind the client; absent for an attached address. */
  readonly process?: BackendProcess | undefined
  /** The assigned port; the check proves that the process itself listens there. */
  readonly port?: number | undefined
  readonly limitMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Waits until a backend passes its health check: checks every 25 ms up to the limit, and stops when its process has
 * ended.
 *
 * @throws SvcError `backend_not_ready` (internal) when it ended or took too long, `address_taken` (internal) when
 *   another process listens on its port, the signal's reason when it aborts
 */
export async function waitUntilReady(options: ReadinessOptions): Promise<void> {
  const { client, process, clock } = options
  const done = new AbortController()
  const stop = new AbortController()
  const endWith = (error: SvcError) => stop.abort(error)
  void clock.sleep(options.limitMs, { signal: done.signal }).then(
    () => endWith(notReady()),
    () => undefined,
  )
  void process?.exited.then((report) => endWith(exitedError(process, report)))
  const waiting = AbortSignal.any([options.signal, stop.signal])
  try {
    while (!(await canConnect(client.address))) await pause(clock, waiting)
    // The health check carries the token.
    if (await isTaken(options)) throw addressTaken()
    await client.waitUntilReady({ signal: waiting, intervalMs: POLL_MS, timeoutMs: HEALTH_TIMEOUT_MS })
    if (process?.hasExited()) throw exitedError(process, await process.exited)
    if (await isTaken(options)) throw addressTaken()
  } catch (error) {
    throw await explain(error, options, waiting)
  } finally {
    done.abort()
  }
}

/** Finds the reason of a failed wait: an abort or an exit takes precedence over the error of a half-open connection. */
async function explain(error: unknown, options: ReadinessOptions, waiting: AbortSignal): Promise<unknown> {
  const { process } = options
  if (options.signal.aborted) return options.signal.reason
  if (process?.hasExited()) return exitedError(process, await process.exited)
  if (waiting.aborted) return waiting.reason
  if (await isTaken(options)) return addressTaken()
  return error
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await clock.sleep(POLL_MS, { signal })
}

async function isTaken({ process, port }: ReadinessOptions): Promise<boolean> {
  if (process === undefined || port === undefined) return false
  return (await findListenerOwner(port, process.pid)) === 'other'
}

/** Whether a server listens there. A gRPC channel would wait longer and longer between its own attempts. */
function canConnect(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = address.startsWith('unix:')
      ? connect(address.slice('unix:'.length))
      : connect(Number(address.slice(address.lastIndexOf(':') + 1)), readHost(address))
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.setTimeout(HEALTH_TIMEOUT_MS, () => finish(false))
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}

function readHost(address: string): string {
  const host = address.slice(0, address.lastIndexOf(':'))
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function notReady(reason?: string): SvcError {
  const message = reason === undefined ? NOT_READY : `${NOT_READY}: ${reason}`
  return new SvcError('internal', message, { code: 'backend_not_ready' })
}

function addressTaken(): SvcError {
  return new SvcError('internal', `${NOT_READY}: its port was taken by another process`, { code: 'address_taken' })
}

function exitedError(process: BackendProcess, report: ExitReport): SvcError {
  const error = notReady(describeExit(report))
  if (!process.saidAddressInUse()) return error
  return new SvcError('internal', error.message, { code: 'address_taken' })
}

/** Describes in one line how a process ended, for a client: `backend process exited with code 1: <last line>`. */
export function describeExit({ code, signal, lastLines }: ExitReport): string {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
  const last = toPublicReason(lastLines.at(-1) ?? '')
  return `backend process ${how}${last === '' ? '' : `: ${last}`}`
}
