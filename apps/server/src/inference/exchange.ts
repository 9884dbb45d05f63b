import { SvcError } from '@svc/errors'
import type { JsonDocument, Splice } from '@svc/json'
import type { TokenMap } from '@svc/pii/reversible'
import type { ChatCompletionRequest } from '@svc/wire/openai'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { InferenceCodec } from './codec.ts'
import { NO_USAGE, type PredictionEvent, type Usage } from './events.ts'
import type { InferenceRequest } from './inference-request.ts'
import type { OperationResult } from './operations/operation.ts'
import type { ReplyWriter, RequestBody, RequestContext } from './ports.ts'

/** How a request came: as an HTTP request of its own, or as a message of a socket that stays open. */
export type Transport = 'http' | 'websocket'

/** What is done when an exchange has ended. @param thrown what a stage threw; undefined when all have run */
export type AtEnd = (thrown: unknown) => void

/** One inference request on its way through the stages. Each stage reads what earlier ones left and leaves its own. */
export class Exchange {
  readonly call: RequestContext
  readonly codec: InferenceCodec
  readonly writer: ReplyWriter
  readonly transport: Transport
  /** The body, still to be read; undefined for what came as a message. */
  readonly body: RequestBody | undefined
  /** Edits of the original bytes, ascending; what is outside them goes on byte for byte. */
  readonly splices: Splice[] = []
  /** Set when values that were masked are to be put back into the reply; left by `pii`. */
  restoration: TokenMap | undefined
  /** The status of an upstream whose reply went to the client as it came; set once it has. */
  upstreamStatus: number | undefined
  /** What a model upstream is asked, in the chat format; left by `parse` where requests are translated. */
  upstreamChat: ChatCompletionRequest | undefined
  /** Figures so far; complete once the reply has ended. */
  usage: Usage = NO_USAGE
  /** What is wrong with a reply that is delivered all the same, in words: the first of each kind. */
  readonly warnings = new Map<string, string>()
  /** What ended the reply early, after its first byte. */
  failure: SvcError | undefined
  readonly #ends: AtEnd[] = []
  #document: JsonDocument | undefined
  #requestedModel: string | undefined
  #model: ModelConfig | undefined
  #request: InferenceRequest | undefined
  #events: AsyncIterable<PredictionEvent> | undefined
  #result: OperationResult | undefined

  /** @param options.body the body to read, or what came as a message of a socket, already parsed */
  constructor(options: {
    call: RequestContext
    codec: InferenceCodec
    writer: ReplyWriter
    body: RequestBody | { readonly message: JsonDocument }
  }) {
    this.call = options.call
    this.codec = options.codec
    this.writer = options.writer
    const { body } = options
    if ('message' in body) {
      this.transport = 'websocket'
      this.body = undefined
      this.#document = body.message
    } else {
      this.transport = 'http'
      this.body = body
    }
  }

  /** Notes what is to be done once the reply has ended, however it ended: the last first. */
  atEnd(end: AtEnd): void {
    this.#ends.push(end)
  }

  /** Does what was noted, each whatever another does. @throws what the last of those threw that did */
  end(thrown: unknown): void {
    const end = this.#ends.pop()
    if (end === undefined) return
    try {
      end(thrown)
    } finally {
      this.end(thrown)
    }
  }

  /** The body, parsed once; left by `body`. */
  get document(): JsonDocument {
    return left('body', this.#document)
  }
  set document(document: JsonDocument) {
    this.#document = document
  }

  /** The name the client used, or the default chosen for it; left by `resolve`. */
  get requestedModel(): string {
    return left('resolve', this.#requestedModel)
  }
  set requestedModel(name: string) {
    this.#requestedModel = name
  }

  /** The model that serves: after alias and router. */
  get model(): ModelConfig {
    return left('resolve', this.#model)
  }
  set model(model: ModelConfig) {
    this.#model = model
  }

  /** The request in domain terms; left by `parse`. */
  get request(): InferenceRequest {
    return left('parse', this.#request)
  }
  set request(request: InferenceRequest) {
    this.#request = request
  }

  /** What an operation gave; left by `model`. */
  get result(): OperationResult {
    return left('model', this.#result)
  }
  set result(result: OperationResult) {
    this.#result = result
  }

  /** The prediction under way, through its lanes; left by `model`. */
  get events(): AsyncIterable<PredictionEvent> {
    return left('model', this.#events)
  }
  set events(events: AsyncIterable<PredictionEvent>) {
    this.#events = events
  }
}

function left<T>(stage: string, value: T | undefined): T {
  if (value === undefined) throw new SvcError('internal', `the ${stage} stage has not run`, { code: 'stage_order' })
  return value
}
