import type { BinaryWriter } from '@bufbuild/protobuf/wire'

/** The kind of an rpc: one message each way, one and many, or many each way. */
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
  /** Appends to the writer when there is one. */
  encode(message: T, writer?: BinaryWriter): { finish(): Uint8Array }
  decode(bytes: Uint8Array): T
  fromPartial(value: PartialMessage<T>): T
}

/** One rpc: its path, its kind, and the messages of its requests and replies. */
export interface Method<Kind extends MethodKind, Request, Reply> {
  readonly kind: Kind
  /** Such as `/backend.Backend/Predict`. */
  readonly path: string
  readonly request: MessageType<Request>
  readonly reply: MessageType<Reply>
}

/** One rpc as the generated code has it. */
interface Definition<Request, Reply, RequestStream extends boolean, ReplyStream extends boolean> {
  readonly name: string
  readonly requestType: MessageType<Request>
  readonly requestStream: RequestStream
  readonly responseType: MessageType<Reply>
  readonly responseStream: ReplyStream
}

/** A method of one request and one reply. */
export function unary<Request, Reply>(
  service: string,
  { name, requestType, responseType }: Definition<Request, Reply, false, false>,
): Method<'unary', Request, Reply> {
  return { kind: 'unary', path: `/${service}/${name}`, request: requestType, reply: responseType }
}

/** A method of one request and many replies. */
export function serverStream<Request, Reply>(
  service: string,
  { name, requestType, responseType }: Definition<Request, Reply, false, true>,
): Method<'server-stream', Request, Reply> {
  return { kind: 'server-stream', path: `/${service}/${name}`, request: requestType, reply: responseType }
}

/** A method of many requests and many replies. */
export function duplex<Request, Reply>(
  service: string,
  { name, requestType, responseType }: Definition<Request, Reply, true, true>,
): Method<'duplex', Request, Reply> {
  return { kind: 'duplex', path: `/${service}/${name}`, request: requestType, reply: responseType }
}

/** Bytes of a message as gRPC wants them, without a copy. */
export function encodeMessage<T>(type: MessageType<T>, message: T): Buffer {
  const bytes = type.encode(message).finish()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
