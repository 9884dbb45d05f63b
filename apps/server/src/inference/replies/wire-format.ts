import type { SvcError } from '@svc/errors'
import type { JsonDocument, Splice } from '@svc/json'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { HiddenTexts } from '../../pii/hidden-text.ts'
import type { PredictionEvent, Usage } from '../core/events.ts'
import type { ReplyWriter } from '../core/ports.ts'
import type { GenerationRequest } from '../core/request.ts'
import type { FormFile, FormRules } from '../documents/form.ts'
import type { MediaInputs } from '../media/media-inputs.ts'
import type { OperationKind, OperationRequest, OperationResult } from '../operations/operation.ts'
import type { Content } from './content.ts'

/** Facts of a reply that do not come from the model. */
export interface ReplyFacts {
  /** The name that the client asked for: an alias stays an alias. For a router, the name of the picked model. */
  readonly model: string
  readonly requestId: string
  /** The address of the server as the caller sees it, with a slash at the end. */
  readonly baseUrl: string
  /** Unix seconds; one value for all events of a reply. */
  readonly created: number
  /** Whether the client asked for timings beside the usage. */
  readonly extraUsage: boolean
}

/** Turns events into frames of one wire format. */
export interface StreamEncoder {
  readonly contentType: string
  /** Gives the frames before the first event, with the figures known by then. */
  start(usage: Usage): string
  /** Gives the frames of an event; empty when the format has none for it. */
  event(event: PredictionEvent): string
  /** Gives the frames after the last event. */
  end(): string
  /** Gives the frames for a failure after the first byte, including the end of the stream. */
  error(error: SvcError): string
}

/** Gathers events into one body. */
export interface ReplyCollector {
  event(event: PredictionEvent): void
  body(): unknown
}

/** A request whose reply is generated, with the encoder of its reply. */
export interface GenerationCall {
  readonly kind: 'generation'
  readonly request: GenerationRequest
  /** Whether the server may call the model again before the reply ends. @default false */
  readonly takesTurns?: boolean | undefined
  /** Runs once only the model can still refuse the request. */
  begin?(): Promise<void>
  /** Wraps the writer of the client, so that a frame is kept before the client gets it. */
  record?(writer: ReplyWriter): ReplyWriter
  /** Encodes a streamed reply. Absent when the format has no streams. */
  stream?(facts: ReplyFacts): StreamEncoder
  /** Gathers a whole reply. */
  collect(facts: ReplyFacts): ReplyCollector
  /** Runs once the reply is delivered. @param served the model that answered */
  completed?(served: ModelConfig): void
}

/** Runs an operation of any kind. */
export type PerformOperation = <K extends OperationKind>(request: OperationRequest<K>) => Promise<OperationResult<K>>

/** The result of an operation as JSON. */
export interface JsonResult {
  readonly kind: 'json'
  /** Gives the body of the reply: a value, or `JsonPieces` when it is long. */
  readonly body: (facts: ReplyFacts) => unknown
}

/** The result of an operation as bytes. */
export interface ContentResult {
  readonly kind: 'content'
  readonly content: Content
}

/** The result of an operation in a wire format. */
export type EncodedReply = JsonResult | ContentResult

/** A request with one answer, such as vectors or a ranking, with the encoder of its result. */
export interface OperationCall {
  readonly kind: 'operation'
  readonly request: OperationRequest
  /** Runs the request and keeps its result together with its encoder. */
  perform(run: PerformOperation): Promise<EncodedReply>
  /** Runs once the reply is delivered. @param served the model that answered */
  completed?(served: ModelConfig): void
}

/** A request in domain terms that carries the encoder of its reply. */
export type FormattedCall = GenerationCall | OperationCall

/** Joins an operation and the encoder of its result. */
export function toOperationCall<K extends OperationKind>(
  request: OperationRequest<K>,
  encode: (result: OperationResult<K>, facts: ReplyFacts) => unknown,
  hooks: Pick<OperationCall, 'completed'> = {},
): OperationCall {
  return {
    ...hooks,
    kind: 'operation',
    request,
    async perform(run) {
      const result = await run<K>(request)
      return { kind: 'json', body: (facts) => encode(result, facts) }
    },
  }
}

/** Facts beside the body that reading may depend on. */
export interface ReadOptions {
  /** The name in the reply. */
  readonly model: string
  /** The files of a form. They exist until the reply is delivered. */
  readonly files: readonly FormFile[]
  /** Reads media that the body names. They exist until the reply is delivered. */
  readonly media: MediaInputs
  /** Id of the caller, who owns the files that are made. */
  readonly owner: string
  readonly signal: AbortSignal
}

/** The model of a request that is found by other fields than `model`. */
export interface FoundModel {
  /** The name that led to it. */
  readonly name: string
  readonly model: ModelConfig
  /** Further names whose rights suffice for the model. @default the alias that `name` is */
  readonly through?: readonly string[] | undefined
  /** The model whose PII policy holds for the request. @default the model itself */
  readonly filteredAs?: ModelConfig | undefined
}

/** A wire format of one route: reads a body into a request that knows how to encode its reply. */
export interface WireFormat {
  /** The form that the route takes. @default the body is JSON */
  readonly form?: FormRules | undefined
  /** Whether a route with a form takes JSON too. The media type of the body decides. @default false */
  readonly takesJson?: boolean | undefined
  /**
   * Checks the body against the route's schema and converts it.
   *
   * @param document the body; of a form the text fields as one object of strings
   * @throws {SvcError} `invalid_request` naming the field
   */
  read(document: JsonDocument, options: ReadOptions): Promise<FormattedCall>
  /**
   * Finds the model by other fields than `model`, with the name that led to it.
   *
   * @default the field `model`, the name in the address, or the default of the route
   * @throws {SvcError} `invalid_request` naming the field
   */
  findModel?(document: JsonDocument): FoundModel
  /** Gives the body as traces keep it. @default the body as the PII filter leaves it */
  traced?(document: JsonDocument): Uint8Array
  /** Finds secrets of the body, which traces do not keep. @default none */
  secrets?(document: JsonDocument): readonly Splice[]
  /** Gives texts of a body that are not written as strings, for the PII filter. @default none */
  hiddenTexts?(document: JsonDocument): HiddenTexts | undefined
  /**
   * Finds the conversation that the body begins or continues, where its requests name each other.
   *
   * @default the id that the client gives
   * @returns an id that all requests of the conversation have, undefined where there is none
   */
  findConversation?(document: JsonDocument): Promise<string | undefined>
}
