import type { BackendClient, CallOptions, DuplexCall } from '@svc/backend-client'
import { backendMethods, extensionMethods, type Method, type MethodKind } from '@svc/backend-client/proto'
import type { BackendHandlers, ExtensionHandlers, HandlerContext } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { createMessageQueue } from './message-queue.ts'

type AnyMethod = { [Kind in MethodKind]: Method<Kind, unknown, unknown> }[MethodKind]
type Handler = (request: unknown, context: HandlerContext) => unknown

/** Handlers of the contract, and of our own service. */
export type InProcessHandlers = BackendHandlers & ExtensionHandlers

/**
 * Creates a client of handlers in this process. Calls fail with the errors of the handlers, and with `unavailable`,
 * code `backend_stopped`, once it is closed. A method without a handler fails with `not_implemented`, code
 * `unimplemented`.
 */
export function createInProcessClient(name: string, handlers: InProcessHandlers): BackendClient {
  const calls = createRunningCalls()
  const own: Readonly<Record<string, unknown>> = { ...handlers }
  const check = async (): Promise<void> => calls.check()
  return {
    // The tables map each name to its method, and `bind` creates the client's function for its kind.
    ...(bindAll(backendMethods, own, calls) as unknown as Omit<BackendClient, 'extensions'>),
    extensions: bindAll(extensionMethods, own, calls) as BackendClient['extensions'],
    address: `in-process:${name}`,
    health: check,
    waitUntilReady: check,
    close: () => calls.close(),
    [Symbol.asyncDispose]: async () => calls.close(),
  }
}

function bindAll(
  methods: Readonly<Record<string, AnyMethod>>,
  handlers: Readonly<Record<string, unknown>>,
  calls: RunningCalls,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, bind(method, { handler: handlers[name], calls })]),
  )
}

function bind(
  method: AnyMethod,
  { handler, calls }: { readonly handler: unknown; readonly calls: RunningCalls },
): unknown {
  const call = typeof handler === 'function' ? (handler as Handler) : undefined
  if (method.kind === 'server-stream') {
    return async function* stream(request: object, options: CallOptions = {}) {
      if (call === undefined) throw unimplemented(method.path)
      const { context, tell, end } = calls.start(options)
      try {
        const replies = call(method.request.fromPartial(request), context) as AsyncIterable<object>
        for await (const reply of replies) yield method.reply.fromPartial(reply)
        tell()
      } catch (error) {
        throw toReason(error, context.signal)
      } finally {
        end()
      }
    }
  }
  if (method.kind === 'duplex') {
    return (options: CallOptions = {}) => openDuplex(method, call ?? refuse(method.path), { options, calls })
  }
  return async (request: object, options: CallOptions = {}) => {
    if (call === undefined) throw unimplemented(method.path)
    const { context, tell, end } = calls.start(options)
    try {
      const reply = (await call(method.request.fromPartial(request), context)) as object
      tell()
      return method.reply.fromPartial(reply)
    } catch (error) {
      throw toReason(error, context.signal)
    } finally {
      end()
    }
  }
}

const refuse = (path: string) => (): never => {
  throw unimplemented(path)
}

/** Opens a call in both directions. It starts with the first message or the first pull. */
function openDuplex(
  method: Extract<AnyMethod, { readonly kind: 'duplex' }>,
  call: Handler,
  { options, calls }: { readonly options: CallOptions; readonly calls: RunningCalls },
): DuplexCall<object, object> {
  const { context, tell, end } = calls.start(options)
  const requests = createMessageQueue()
  const left = new AbortController()
  const signal = AbortSignal.any([context.signal, left.signal])
  async function* read(): AsyncGenerator<object, void> {
    try {
      const replies = call(requests.read(signal), { ...context, signal }) as AsyncIterable<object>
      for await (const reply of replies) yield method.reply.fromPartial(reply) as object
      tell()
    } catch (error) {
      throw toReason(error, signal)
    } finally {
      requests.close()
      end()
    }
  }
  const replies = read()
  const cancel = (): void => {
    left.abort(new SvcError('cancelled', 'the call was cancelled', { code: 'cancelled' }))
    // A generator that was never pulled has no end of its own.
    replies.return().catch(() => undefined)
    end()
  }
  return {
    write: (message) => requests.write(method.request.fromPartial(message) as object),
    end: () => requests.end(),
    cancel,
    [Symbol.asyncIterator]: () => replies,
    [Symbol.asyncDispose]: async () => cancel(),
  }
}

/** After an abort a failure has the abort's reason, whatever error the handler throws. */
function toReason(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : error
}

interface StartedCall {
  readonly context: HandlerContext
  /** Passes the handler's trailers on. */
  tell(): void
  end(): void
}

interface RunningCalls {
  /**
   * Starts a call. @throws {SvcError} `backend_stopped` after the close, or the reason of a signal that is already
   * aborted
   */
  start(options: CallOptions): StartedCall
  check(): void
  close(): void
}

function createRunningCalls(): RunningCalls {
  const running = new Set<AbortController>()
  let isClosed = false
  const check = (): void => {
    if (isClosed) throw stopped()
  }
  return {
    check,
    start({ signal, timeoutMs, metadata = {}, onTrailers }) {
      check()
      signal?.throwIfAborted()
      const controller = new AbortController()
      running.add(controller)
      const abort = (): void => controller.abort(signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(tooLate()), timeoutMs)
      const end = (): void => {
        running.delete(controller)
        signal?.removeEventListener('abort', abort)
        clearTimeout(timer)
      }
      const trailers: Record<string, string> = {}
      const addTrailer = (name: string, value: string): void => {
        trailers[name] = value
      }
      return { context: { signal: controller.signal, metadata, addTrailer }, tell: () => onTrailers?.(trailers), end }
    },
    close() {
      isClosed = true
      for (const controller of running) controller.abort(stopped())
    },
  }
}

function stopped(): SvcError {
  return new SvcError('unavailable', 'the backend was stopped', { code: 'backend_stopped' })
}

function tooLate(): SvcError {
  return new SvcError('timeout', 'the backend did not answer in time', { code: 'backend_timeout' })
}

function unimplemented(path: string): SvcError {
  const message = `${path.split('/').at(-1)} is not served by this model`
  return new SvcError('not_implemented', message, { code: 'unimplemented' })
}
