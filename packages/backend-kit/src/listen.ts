import { Server, ServerCredentials } from '@grpc/grpc-js'
import {
  type BackendAddress,
  backendMethods,
  extensionMethods,
  MAX_MESSAGE_BYTES,
  parseBackendAddress,
} from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { implement } from './adapt/implementation.ts'
import { createBearerCheck } from './bearer.ts'
import { describeHandlers } from './capabilities.ts'
import type { BackendHandlers, ExtensionHandlers } from './handlers.ts'
import { healthy } from './health.ts'
import { createRunningCalls } from './running-calls.ts'
import type { ReportFailure } from './service-error.ts'
import { makePrivate, removeSocket, removeStaleSocket } from './unix-socket.ts'

/** Options of {@link listenBackend}. */
export interface ListenOptions {
  readonly handlers: BackendHandlers
  readonly extensions?: ExtensionHandlers | undefined
  /** `host:port` (port 0 takes a free one) or `unix:/path`. */
  readonly address: string
  /** The bearer token that every call must carry. @default none */
  readonly token?: string | undefined
  /** Largest message in either direction, in bytes. @default 52428800 (50 MiB) */
  readonly maxMessageBytes?: number | undefined
  /**
   * Receives failures that are not an `SvcError`; their callers see only `internal error`. @default written to stderr
   */
  readonly report?: ReportFailure | undefined
}

/** A backend that takes calls. */
export interface RunningBackend extends AsyncDisposable {
  /** The address of the listener, with the real port. */
  readonly address: string
  /**
   * Stops taking calls, waits for the running ones, then aborts them.
   *
   * @param options.graceMs time for running calls to finish. @default 4000
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>
}

const GRACE_MS = 4000
const ABORT_MS = 250

/**
 * Serves a backend inside this process. It touches no signals, arguments or environment. Programs use `serveBackend`.
 *
 * @throws `backend_address` (invalid_request), `address_in_use` (conflict)
 */
export async function listenBackend(options: ListenOptions): Promise<RunningBackend> {
  const { handlers, extensions = {}, maxMessageBytes = MAX_MESSAGE_BYTES } = options
  const running = createRunningCalls()
  const rules = { checkBearer: createBearerCheck(options.token), running, report: options.report ?? reportToStderr }
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
  })
  const capabilities = () => describeHandlers(handlers, extensions)
  for (const service of [
    implement(backendMethods, { ...handlers, health: handlers.health ?? healthy }, rules),
    implement(extensionMethods, { ...extensions, capabilities: extensions.capabilities ?? capabilities }, rules),
  ]) {
    server.addService(service.definition, service.implementation)
  }

  const asked = parseBackendAddress(options.address)
  if (asked.kind === 'unix') await removeStaleSocket(asked.path)
  const port = await bind(server, toTarget(asked))
  if (asked.kind === 'unix') makePrivate(asked.path)

  let closing: Promise<void> | undefined
  const close: RunningBackend['close'] = ({ graceMs = GRACE_MS } = {}) => {
    closing ??= shutDown(server, { graceMs, abort: running.abort }).then(() => {
      if (asked.kind === 'unix') removeSocket(asked.path)
    })
    return closing
  }
  return {
    address: toTarget(asked.kind === 'tcp' ? { ...asked, port } : asked),
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

async function shutDown(
  server: Server,
  { graceMs, abort }: { readonly graceMs: number; readonly abort: (reason: unknown) => void },
): Promise<void> {
  let force: NodeJS.Timeout | undefined
  const grace = setTimeout(() => {
    abort(new SvcError('unavailable', 'the backend is stopping', { code: 'backend_stopping' }))
    force = setTimeout(() => server.forceShutdown(), ABORT_MS)
  }, graceMs)
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  clearTimeout(grace)
  clearTimeout(force)
}

function bind(server: Server, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) return resolve(port)
      const isTaken = error.message.includes('EADDRINUSE')
      // Hosts look for these words and try another port.
      const message = isTaken ? `address already in use: ${target}` : `cannot listen on ${target}`
      reject(
        new SvcError(isTaken ? 'conflict' : 'internal', message, {
          code: isTaken ? 'address_in_use' : 'cannot_listen',
          cause: error,
        }),
      )
    })
  })
}

function toTarget(address: BackendAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
}

function reportToStderr(path: string, thrown: unknown): void {
  console.error(`${path} failed:`, thrown)
}
