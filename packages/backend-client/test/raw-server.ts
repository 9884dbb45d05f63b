import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  type StatusObject,
} from '@grpc/grpc-js'

/** A call as the raw server sees it: bytes in, bytes out, in any order. */
export type RawCall = ServerDuplexStream<Buffer, Buffer>

/** A server that speaks bytes, so that a test can be any backend, broken ones included. */
export interface RawServer extends AsyncDisposable {
  readonly address: string
  /** Breaks every connection off. */
  kill(): void
}

const identity = (bytes: Buffer) => bytes

/** Serves bytes at these paths. Every call is served as a stream both ways: the wire does not tell the kinds apart. */
export async function startRawServer(
  routes: Readonly<Record<string, (call: RawCall) => void>>,
  address = '127.0.0.1:0',
): Promise<RawServer> {
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 })
  const definition: Record<string, ServiceDefinition[string]> = {}
  for (const path of Object.keys(routes)) {
    definition[path] = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
    }
  }
  server.addService(definition, routes)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  return {
    address: address.startsWith('unix:') ? address : `127.0.0.1:${port}`,
    kill: () => server.forceShutdown(),
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
    },
  }
}

/** Answers one message and closes. */
export function answer(call: RawCall, bytes: Uint8Array): void {
  call.resume()
  call.on('end', () => {
    call.write(Buffer.from(bytes))
    call.end()
  })
}

/** Fails with a status. */
export function fail(
  call: RawCall,
  { code, details }: Pick<StatusObject, 'code' | 'details'>,
  metadata?: Metadata,
): void {
  call.resume()
  call.emit('error', { code, details, ...(metadata ? { metadata } : {}) })
}

/** Resolves when the caller has gone. */
export function cancelled(call: RawCall): Promise<void> {
  return new Promise((resolve) => {
    if (call.cancelled) resolve()
    else call.once('cancelled', () => resolve())
  })
}
