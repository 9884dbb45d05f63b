import { extensionMethods } from './calls/extensions.ts'
import { toCodedMethod } from './codec/codecs.ts'
import { Connection } from './connection/connection.ts'
import { MAX_MESSAGE_BYTES } from './contract.ts'
import { BackendError } from './errors.ts'
import { type DuplexCall, openDuplex } from './invoke/duplex.ts'
import type { CallOptions, StreamOptions } from './invoke/options.ts'
import { callServerStream } from './invoke/server-stream.ts'
import { callUnary } from './invoke/unary.ts'
import type { Method, MethodKind, PartialMessage } from './method.ts'
import { backendMethods } from './methods.ts'
import { type ReadyOptions, waitUntilReady } from './ready.ts'

/** Options of {@link createBackendClient}. */
export interface BackendClientOptions {
  /** `host:port` or `unix:/path`. */
  readonly address: string
  /** Sent as `authorization: Bearer …` with every call. */
  readonly token?: string | undefined
  /** Largest message in either direction, in bytes. @default 52428800 (50 MiB) */
  readonly maxMessageBytes?: number | undefined
}

/** The function that calls a method, by its kind. */
type MethodCall<M> =
  M extends Method<'unary', infer Request, infer Reply>
    ? (request: PartialMessage<Request>, options?: CallOptions) => Promise<Reply>
    : M extends Method<'server-stream', infer Request, infer Reply>
      ? (request: PartialMessage<Request>, options?: StreamOptions) => AsyncGenerator<Reply, void, void>
      : M extends Method<'duplex', infer Request, infer Reply>
        ? (options?: StreamOptions) => DuplexCall<Request, Reply>
        : never

type MethodCalls<Methods> = { readonly [Name in keyof Methods]: MethodCall<Methods[Name]> }

/** One function for each rpc of `backend.Backend` but Health. */
export type BackendCalls = Omit<MethodCalls<typeof backendMethods>, 'health'>

/** One function for each rpc of `svc.backend.v1.Extensions`. */
export type ExtensionCalls = MethodCalls<typeof extensionMethods>

/**
 * A backend. Calls fail with an error of `@svc/errors`, a {@link BackendError} unless the signal was
 * aborted with an error of its own.
 */
export interface BackendClient extends BackendCalls, AsyncDisposable {
  /** The address of the backend. */
  readonly address: string
  /** Our own rpcs beside the contract. */
  readonly extensions: ExtensionCalls
  /**
   * Asks for health.
   *
   * @throws `backend_unhealthy` (unavailable) when the answer is anything but "OK"
   */
  health(options?: CallOptions): Promise<void>
  /**
   * Asks for health until it is good.
   *
   * @throws `backend_exited` (unavailable) when the process ended first
   */
  waitUntilReady(options: ReadyOptions): Promise<void>
  /** Closes the connection. Running calls fail. */
  close(): void
}

/**
 * A client of the backend at an address. Connects with the first call.
 *
 * @throws `backend_address` (invalid_request) for a malformed address
 * @example
 * const client = createBackendClient({ address: '127.0.0.1:50051' })
 * await client.waitUntilReady({ signal: AbortSignal.timeout(30_000) })
 * ensureSuccess(await client.loadModel({ Model: 'demo', ModelFile: '/models/demo.gguf' }))
 * for await (const reply of client.predictStream({ Prompt: 'Hello' })) process.stdout.write(reply.message)
 * client.close()
 */
export function createBackendClient(options: BackendClientOptions): BackendClient {
  const { address, token, maxMessageBytes = MAX_MESSAGE_BYTES } = options
  const connection = new Connection({ address, token, maxMessageBytes })
  const calls = bindAll(connection, backendMethods)
  const close = () => connection.close()

  async function health(healthOptions: CallOptions = {}): Promise<void> {
    const reply = await calls.health({}, healthOptions)
    if (Buffer.from(reply.message).toString() === 'OK') return
    throw new BackendError('unavailable', 'the backend is not healthy', { code: 'backend_unhealthy' })
  }

  return {
    ...calls,
    address,
    extensions: bindAll(connection, extensionMethods),
    health,
    waitUntilReady: (readyOptions) => waitUntilReady(health, readyOptions),
    close,
    async [Symbol.asyncDispose]() {
      close()
    },
  }
}

type AnyMethod = { [Kind in MethodKind]: Method<Kind, unknown, unknown> }[MethodKind]

function bindAll<Methods extends Readonly<Record<string, AnyMethod>>>(
  connection: Connection,
  methods: Methods,
): MethodCalls<Methods> {
  const entries = Object.entries(methods).map(([name, method]) => [name, bind(connection, method)])
  // The table maps each name to its method, and `bind` makes the function that MethodCall names for its kind.
  return Object.fromEntries(entries) as MethodCalls<Methods>
}

function bind(connection: Connection, method: AnyMethod) {
  const coded = toCodedMethod(method)
  switch (method.kind) {
    case 'unary':
      return (request: object, options: CallOptions = {}) => callUnary(connection, coded, { request, options })
    case 'server-stream':
      return (request: object, options: StreamOptions = {}) => callServerStream(connection, coded, { request, options })
    case 'duplex':
      return (options: StreamOptions = {}) => openDuplex(connection, coded, options)
  }
}
