/** How an rpc talks: one message each way, one and many, or many each way. */
export type MethodKind = 'unary' | 'server-stream' | 'duplex'

type Scalar = string | number | boolean | undefined

/**
 * A message as a caller may give it: every field optional, `undefined` the same as left out, 64-bit numbers also as
 * `number` or decimal text, bytes in any kind of byte array.
 */
export type PartialMessage<T> = T extends bigint
  ? bigint | number | string
  : T extends Uint8Array
    ? Uint8Array
    : T extends Scalar
      ? T
      : T extends ReadonlyArray<infer Item>
        ? ReadonlyArray<PartialMessage<Item>>
        : { readonly [Key in keyof T]?: PartialMessage<T[Key]> | undefined }

/** The generated functions of one message type, as far as calls need them. */
export interface MessageType<T> {
  encode(message: T): { finish(): Uint8Array }
  decode(bytes: Uint8Array): T
  fromPartial(value: PartialMessage<T>): T
}

/** One rpc: where it is, how it talks, what goes in and what comes out. */
export interface Method<Kind extends MethodKind, Request, Reply> {
  readonly kind: Kind
  /** Such as `/backend.Backend/Predict`. */
  readonly path: string
  readonly request: MessageType<Request>
  readonly reply: MessageType<Reply>
}

interface Definition<Request, Reply, RequestStream extends boolean, ReplyStream extends boolean> {
  readonly path: string
  readonly requestStream: RequestStream
  readonly responseStream: ReplyStream
  readonly requestDeserialize: (bytes: Buffer) => Request
  readonly responseDeserialize: (bytes: Buffer) => Reply
}

/** A method of one request and one reply. */
export function unary<Request, Reply>(
  definition: Definition<Request, Reply, false, false>,
  request: MessageType<Request>,
  reply: MessageType<Reply>,
): Method<'unary', Request, Reply> {
  return { kind: 'unary', path: definition.path, request, reply }
}

/** A method of one request and many replies. */
export function serverStream<Request, Reply>(
  definition: Definition<Request, Reply, false, true>,
  request: MessageType<Request>,
  reply: MessageType<Reply>,
): Method<'server-stream', Request, Reply> {
  return { kind: 'server-stream', path: definition.path, request, reply }
}

/** A method of many requests and many replies. */
export function duplex<Request, Reply>(
  definition: Definition<Request, Reply, true, true>,
  request: MessageType<Request>,
  reply: MessageType<Reply>,
): Method<'duplex', Request, Reply> {
  return { kind: 'duplex', path: definition.path, request, reply }
}

/** Bytes of a message as gRPC wants them, without a copy. */
export function encodeMessage<T>(type: MessageType<T>, message: T): Buffer {
  const bytes = type.encode(message).finish()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
