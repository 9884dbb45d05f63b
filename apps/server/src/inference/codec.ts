import type { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import type { HiddenTexts } from '../pii/hidden-text.ts'
import type { PredictionEvent, Usage } from './events.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operations/operation.ts'
import type { GenerationRequest } from './request.ts'

/** Facts of a reply that do not come from the model. */
export interface ReplyFacts {
  /** The name the client asked for: an alias stays an alias. */
  readonly model: string
  readonly requestId: string
  /** Unix seconds; one value for all events of a reply. */
  readonly created: number
  /** Whether the client asked for timings beside the usage. */
  readonly extraUsage: boolean
}

/** Turns events into frames of one wire format. */
export interface StreamEncoder {
  readonly contentType: string
  /** Frames before the first event; the figures are those that are known by then. */
  start(usage: Usage): string
  /** Frames of an event; empty when the format has none for it. */
  event(event: PredictionEvent): string
  /** Frames after the last event. */
  end(): string
  /** Frames that tell of a failure after the first byte, the end of the stream included. */
  error(error: SvcError): string
}

/** Gathers events into one body. */
export interface ReplyCollector {
  event(event: PredictionEvent): void
  body(): unknown
}

/** The wire to domain end of an inference route. */
interface RequestParser<Request> {
  /**
   * Checks the body against the route's schema and maps it.
   *
   * @throws {SvcError} `invalid_request` naming the field
   */
  parse(document: JsonDocument, options: { readonly signal: AbortSignal }): Promise<Request>
  /** Texts of a body that stand there in another form than strings, for the PII filter. @default none */
  hiddenTexts?(document: JsonDocument): HiddenTexts | undefined
}

/** The two ends of a route whose reply is generated: it comes whole or as a stream. */
export interface GenerationCodec<Request extends GenerationRequest = GenerationRequest> extends RequestParser<Request> {
  /** Told once nothing of the request can be refused any more but by the model. */
  begin?(): Promise<void>
  stream(request: Request, facts: ReplyFacts): StreamEncoder
  collect(request: Request, facts: ReplyFacts): ReplyCollector
}

/** The two ends of a route with one answer: vectors, a ranking, tokens. */
export interface OperationCodec<
  K extends OperationKind = OperationKind,
  Request extends OperationRequest<K> = OperationRequest<K>,
> extends RequestParser<Request> {
  readonly operation: K
  /** The body of the reply: a value, or `JsonPieces` when it is long. */
  reply(request: Request, result: OperationResult<K>, facts: ReplyFacts): unknown
}

/**
 * The two ends of an inference route: wire to domain and domain to wire, and nothing else. Everything between is the
 * pipeline's.
 */
export type InferenceCodec = GenerationCodec | OperationCodec
