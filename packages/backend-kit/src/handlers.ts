import type { backendMethods, extensionMethods, Method, MethodKind, PartialMessage } from '@svc/backend-client/proto'

/** The context of a handler's call. */
export interface HandlerContext {
  /** Aborts as soon as the caller cancels, its deadline passes or the backend has to stop. */
  readonly signal: AbortSignal
  /** Text metadata of the call, names in lower case, without the bearer token. */
  readonly metadata: Readonly<Record<string, string>>
  /** Adds trailing metadata to the answer: ASCII text, sent only when the call succeeds. */
  addTrailer(name: string, value: string): void
}

/** The function that answers a method. Fields left out of a reply get their default value. */
export type HandlerOf<M> =
  M extends Method<'unary', infer Request, infer Reply>
    ? (request: Request, context: HandlerContext) => Promise<PartialMessage<Reply>> | PartialMessage<Reply>
    : M extends Method<'server-stream', infer Request, infer Reply>
      ? (request: Request, context: HandlerContext) => AsyncIterable<PartialMessage<Reply>>
      : M extends Method<'duplex', infer Request, infer Reply>
        ? (requests: AsyncIterable<Request>, context: HandlerContext) => AsyncIterable<PartialMessage<Reply>>
        : never

type HandlersOf<Methods> = { readonly [Name in keyof Methods]?: HandlerOf<Methods[Name]> | undefined }

/**
 * The handlers of `backend.Backend`: plain async functions, async generators for streams. A missing handler answers
 * UNIMPLEMENTED, except Health, which answers "OK".
 *
 * A handler fails by throwing a `SvcError`; its kind becomes the gRPC status. Any other error becomes INTERNAL with a
 * fixed text, and is written to stderr in full.
 */
export type BackendHandlers = HandlersOf<typeof backendMethods>

/** The handlers of `svc.backend.v1.Extensions`; a missing Capabilities has a default. */
export type ExtensionHandlers = HandlersOf<typeof extensionMethods>

/** Any method of the contract. */
export type AnyMethod = { [Kind in MethodKind]: Method<Kind, unknown, unknown> }[MethodKind]
