import {
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { backendMethods } from '@svc/backend-client/proto'
import { createDeferred } from './deferred.ts'
import { HEALTHY, SUCCESS } from './hostile-messages.ts'

/** An rpc of the backend contract, by its name in TypeScript, such as `predictStream`. */
export type RpcName = keyof typeof backendMethods

/** A misbehaviour of an rpc. Messages are raw bytes, well-formed or not. */
export type HostileReply =
  /** Never answers. */
  | { readonly kind: 'silence' }
  /** Sends these messages (an rpc without stream the first of them), then ends well or never. */
  | {
      readonly kind: 'messages'
      readonly messages: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
      /** @default 'ok' */
      readonly ending?: 'ok' | 'silence' | undefined
    }
  /** Fails, after these messages if it is a stream. */
  | {
      readonly kind: 'failure'
      readonly code: number
      readonly details: string
      readonly messages?: Iterable<Uint8Array> | undefined
    }

/** A received call. */
export interface HostileCall {
  readonly rpc: RpcName
  /** The request's bytes; of a stream of requests the first. */
  readonly request: Uint8Array
  /** Resolves when the caller cancels. */
  readonly cancelled: Promise<void>
}

/** A backend that misbehaves. */
export interface HostileBackend extends AsyncDisposable {
  /** Such as `127.0.0.1:40123`. */
  readonly address: string
  /** Every call so far, in order. */
  readonly calls: readonly HostileCall[]
  /** The first call of an rpc, as soon as it has arrived. */
  called(rpc: RpcName): Promise<HostileCall>
  close(): Promise<void>
}

const GOOD: Partial<Record<RpcName, HostileReply>> = {
  health: { kind: 'messages', messages: [HEALTHY] },
  loadModel: { kind: 'messages', messages: [SUCCESS] },
  free: { kind: 'messages', messages: [SUCCESS] },
}

/**
 * Starts a backend that misbehaves as given. By default `health`, `loadModel` and `free` succeed, and every other rpc
 * is UNIMPLEMENTED.
 *
 * @example
 * await using backend = await startHostileBackend({ predict: { kind: 'messages', messages: [GARBAGE] } })
 */
export async function startHostileBackend(
  replies: Partial<Record<RpcName, HostileReply>> = {},
): Promise<HostileBackend> {
  const calls: HostileCall[] = []
  const watchers = new Set<() => void>()
  const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {}
  const handlers: UntypedServiceImplementation = {}
  for (const [rpc, reply] of listEntries({ ...GOOD, ...replies })) {
    const { path, kind } = backendMethods[rpc]
    const [requestStream, responseStream] = [kind === 'duplex', kind !== 'unary']
    definition[rpc] = { path, requestStream, responseStream, ...RAW }
    const onCall = (request: Uint8Array): { cancel: () => void } => {
      const cancelled = createDeferred()
      calls.push({ rpc, request, cancelled: cancelled.promise })
      for (const watcher of [...watchers]) watcher()
      return { cancel: () => cancelled.resolve() }
    }
    if (requestStream) handlers[rpc] = duplexHandler(reply, onCall)
    else handlers[rpc] = responseStream ? streamHandler(reply, onCall) : unaryHandler(reply, onCall)
  }
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 })
  server.addService(definition, handlers)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
  const close = async () => server.forceShutdown()
  const called = (rpc: RpcName) =>
    new Promise<HostileCall>((resolve) => {
      const watcher = () => {
        const call = calls.find((one) => one.rpc === rpc)
        if (call === undefined) return
        watchers.delete(watcher)
        resolve(call)
      }
      watchers.add(watcher)
      watcher()
    })
  return { address: `127.0.0.1:${port}`, calls, called, close, [Symbol.asyncDispose]: close }
}

const asIs = (bytes: Buffer): Buffer => bytes

/** Messages as bytes in both directions. */
const RAW = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs }

type OnCall = (request: Uint8Array) => { cancel: () => void }

function listEntries(replies: Partial<Record<RpcName, HostileReply>>): [RpcName, HostileReply][] {
  const isRpc = (name: string): name is RpcName => name in backendMethods
  return Object.keys(replies).flatMap((name): [RpcName, HostileReply][] => {
    const reply = isRpc(name) ? replies[name] : undefined
    return isRpc(name) && reply !== undefined ? [[name, reply]] : []
  })
}

function unaryHandler(reply: HostileReply, onCall: OnCall): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    call.on('cancelled', onCall(call.request).cancel)
    if (reply.kind === 'failure') callback({ code: reply.code, details: reply.details })
    if (reply.kind !== 'messages') return
    void readFirst(reply.messages).then((message) => {
      if (message !== undefined) callback(null, Buffer.from(message))
    })
  }
}

function streamHandler(reply: HostileReply, onCall: OnCall): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    call.on('cancelled', onCall(call.request).cancel)
    void send(call, reply)
  }
}

function duplexHandler(reply: HostileReply, onCall: OnCall): handleBidiStreamingCall<Buffer, Buffer> {
  return (call) => {
    call.once('data', (request: Buffer) => {
      call.on('cancelled', onCall(request).cancel)
      call.resume()
      void send(call, reply)
    })
  }
}

async function readFirst(messages: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  for await (const message of messages) return message
  return undefined
}

/** Sends a stream's messages at the caller's speed, until it cancels. */
async function send(
  call: ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
  reply: HostileReply,
): Promise<void> {
  if (reply.kind === 'silence') return
  const gone = new Promise<void>((resolve) => call.once('cancelled', () => resolve()))
  for await (const message of reply.messages ?? []) {
    if (call.cancelled) return
    if (!call.write(Buffer.from(message))) {
      await Promise.race([gone, new Promise<void>((resolve) => call.once('drain', () => resolve()))])
    }
  }
  if (reply.kind === 'failure') call.emit('error', { code: reply.code, details: reply.details })
  else if (reply.ending !== 'silence') call.end()
}

/** The status codes of gRPC by name, so that tests need no gRPC library. */
export const GRPC_STATUS = status
