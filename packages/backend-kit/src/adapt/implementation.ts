import type {
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServiceDefinition,
  StatusObject,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { encodeMessage } from '@svc/backend-client/proto'
import { checkArgument, SvcError } from '@svc/errors'
import type { BearerCheck } from '../bearer.ts'
import type { AnyMethod, HandlerContext } from '../handlers.ts'
import type { RunningCalls } from '../running-calls.ts'
import { type ReportFailure, toServiceStatus } from '../service-error.ts'
import { sendReplies } from './replies.ts'
import { receiveRequests } from './requests.ts'

/** Rules that every call of a server passes. */
export interface CallRules {
  readonly checkBearer: BearerCheck
  readonly running: RunningCalls
  readonly report: ReportFailure
}

/** A service in the form that grpc-js takes. */
export interface Service {
  readonly definition: ServiceDefinition
  readonly implementation: UntypedServiceImplementation
}

type Handler = (input: unknown, context: HandlerContext) => unknown

/** Attaches handlers to their methods. Methods without a handler are left out: the server answers UNIMPLEMENTED. */
export function implement(
  methods: Readonly<Record<string, AnyMethod>>,
  handlers: Readonly<Record<string, unknown>>,
  rules: CallRules,
): Service {
  checkHandlers(methods, handlers)
  const definition: Record<string, ServiceDefinition[string]> = {}
  const implementation: UntypedServiceImplementation = {}
  for (const [name, method] of Object.entries(methods)) {
    const handler = handlers[name]
    if (!isHandler(handler)) continue
    definition[name] = define(method)
    implementation[name] = adapt(method, handler, rules)
  }
  return { definition, implementation }
}

/** Refuses misspelt handlers, which would silently never be called. */
function checkHandlers(
  methods: Readonly<Record<string, AnyMethod>>,
  handlers: Readonly<Record<string, unknown>>,
): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const isKnown = Object.hasOwn(methods, name)
    checkArgument(isKnown, `handlers: ${JSON.stringify(name)}`, `one of ${Object.keys(methods).join(', ')}`, name)
    checkArgument(handler === undefined || isHandler(handler), `handlers.${name}`, 'a function', handler)
  }
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

function define({ path, kind, request, reply }: AnyMethod): ServiceDefinition[string] {
  return {
    path,
    requestStream: kind === 'duplex',
    responseStream: kind !== 'unary',
    requestSerialize: (message: unknown) => encodeMessage(request, message),
    requestDeserialize: (bytes: Buffer) => request.decode(bytes),
    responseSerialize: (message: unknown) => encodeMessage(reply, message),
    responseDeserialize: (bytes: Buffer) => reply.decode(bytes),
  }
}

function adapt(method: AnyMethod, handler: Handler, rules: CallRules): UntypedHandleCall {
  switch (method.kind) {
    case 'unary':
      return adaptUnary(method, handler, rules)
    case 'server-stream':
      return adaptServerStream(method, handler, rules)
    case 'duplex':
      return adaptDuplex(method, handler, rules)
  }
}

function adaptUnary(method: AnyMethod, handler: Handler, rules: CallRules): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    void rules.running.track(call, async (context, trailers) => {
      try {
        rules.checkBearer(call.metadata)
        const reply = await handler(call.request, context)
        context.signal.throwIfAborted()
        callback(null, toMessage(method, reply), trailers)
      } catch (thrown) {
        callback(toStatus(thrown, method, { context, rules }))
      }
    })
  }
}

function adaptServerStream(
  method: AnyMethod,
  handler: Handler,
  rules: CallRules,
): handleServerStreamingCall<unknown, unknown> {
  return (call) => {
    void rules.running.track(call, async (context, trailers) => {
      try {
        rules.checkBearer(call.metadata)
        await sendReplies(call, toReplies(handler(call.request, context)), {
          signal: context.signal,
          encode: (reply) => toMessage(method, reply),
        })
        call.end(trailers)
      } catch (thrown) {
        call.emit('error', toStatus(thrown, method, { context, rules }))
      }
    })
  }
}

function adaptDuplex(method: AnyMethod, handler: Handler, rules: CallRules): handleBidiStreamingCall<unknown, unknown> {
  return (call) => {
    void rules.running.track(call, async (context, trailers) => {
      try {
        rules.checkBearer(call.metadata)
        const requests = receiveRequests(call, context.signal)
        await sendReplies(call, toReplies(handler(requests, context)), {
          signal: context.signal,
          encode: (reply) => toMessage(method, reply),
        })
        call.end(trailers)
      } catch (thrown) {
        call.emit('error', toStatus(thrown, method, { context, rules }))
      }
    })
  }
}

function toMessage({ path, reply }: AnyMethod, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`the handler of ${path} returned no message`)
  return reply.fromPartial(value)
}

function toReplies(value: unknown): AsyncIterable<unknown> {
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) {
    return value as AsyncIterable<unknown>
  }
  throw new TypeError('the handler of a stream returned nothing to iterate')
}

/** A failure after an abort has the abort's reason, for any error that the handler threw. */
function toStatus(
  thrown: unknown,
  { path }: AnyMethod,
  { context: { signal }, rules }: { readonly context: HandlerContext; readonly rules: CallRules },
): StatusObject {
  if (!signal.aborted) return toServiceStatus(thrown, path, rules.report)
  const reason = SvcError.is(signal.reason) ? signal.reason : new SvcError('cancelled', 'the call was cancelled')
  return toServiceStatus(reason, path, rules.report)
}
