import { applySplices, type JsonDocument, type Splice } from '@svc/json'
import { REQUEST_STAGES, type RequestStage } from '@svc/wire/stages'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { TraceRecorder } from '../../monitoring/recorders.ts'
import type { RequestTrace } from '../../monitoring/traces/request-trace.ts'
import type { FilteredRequest } from '../../pii/request-filter.ts'
import type { MaybePromise } from '../../ports.ts'
import type { RequestDocument } from '../documents/request-document.ts'
import type { Reply } from '../replies/reply.ts'
import type { FormattedCall, WireFormat } from '../replies/wire-format.ts'
import type { UpstreamChat } from '../serving/upstream/translate.ts'
import { RequestLedger } from './ledger.ts'
import type { RequestBody, RequestContext } from './ports.ts'

/**
 * The stages of every inference request, in order. The order is part of the contract: the router runs before access,
 * quota and PII, because those decide on the resolved model. The body is validated only after the PII filter, which
 * works on the bytes.
 */
export const STAGE_ORDER = Object.keys(REQUEST_STAGES) as readonly StageName[]

export type StageName = RequestStage

/** A request as a transport hands it to the core: an HTTP body that is still to be read, or a parsed message. */
export interface IncomingRequest {
  readonly context: RequestContext
  readonly format: WireFormat
  readonly source: { readonly body: RequestBody } | { readonly message: JsonDocument }
  /** The model in the address, for requests whose body names none. */
  readonly addressedModel?: string | undefined
}

/** Whether a request is a message of a socket. */
export function isSocketMessage({ source }: IncomingRequest): boolean {
  return 'message' in source
}

/** A request whose body is read. */
export interface ReadRequest extends IncomingRequest {
  readonly document: RequestDocument
}

/** The model of a request, with its names for the client. */
export interface Resolved {
  /** The name that the client used, or the default of the route. */
  readonly requestedModel: string
  /** The name in the reply: the requested one; the name of the model itself where a router picked it. */
  readonly replyModel: string
  readonly model: ModelConfig
  /** The other names of the model in this request: an alias, the router that picked it. Rights may hold for them. */
  readonly through: readonly string[]
  /** The model whose PII policy holds. @default the model itself */
  readonly filteredAs?: ModelConfig | undefined
}

/** A request whose model is known. */
export interface ResolvedRequest extends ReadRequest, Resolved {}

/** Gives one held thing back. @param thrown the error that ended the request; undefined on success */
export type CleanupStep = (thrown: unknown) => void

/** List of the things that a request holds; gives them back at its end. */
export class Cleanup {
  readonly #steps: CleanupStep[] = []

  add(step: CleanupStep): void {
    this.#steps.push(step)
  }

  /** Runs all steps, the last one first, even if one throws. @throws the error of the last step that threw */
  run(thrown: unknown): void {
    const step = this.#steps.pop()
    if (step === undefined) return
    try {
      step(thrown)
    } finally {
      this.run(thrown)
    }
  }
}

/** A request in domain terms; a relayed request has none. */
export interface Parsed {
  readonly call: FormattedCall
  /** The request in the chat format, for upstreams that are asked in it. */
  readonly upstreamChat?: UpstreamChat | undefined
}

/**
 * The stages before the reply. Each one uses the results of earlier ones; a stage that takes a resource adds its return
 * to the cleanup.
 */
export interface Stages {
  /** Reads the body once: as a token tree, or as a form. */
  body(request: IncomingRequest, cleanup: Cleanup): MaybePromise<RequestDocument>
  /** Finds the model by name, or the default of the route. */
  resolve(request: ReadRequest): Resolved
  globalLimit(request: ReadRequest, cleanup: Cleanup): MaybePromise<void>
  /** Picks the model that serves a router's request; any other request keeps its own. */
  router(request: ResolvedRequest): MaybePromise<ModelConfig>
  /** Refuses models that the caller may not use, and requests beyond the caller's quotas. */
  access(admitted: AdmittedRequest, cleanup: Cleanup): MaybePromise<void>
  modelLimit(request: ResolvedRequest, cleanup: Cleanup): MaybePromise<void>
  pii(request: ResolvedRequest): MaybePromise<FilteredRequest>
  /** Checks the edited body against the schema of its format and converts it; undefined for relayed requests. */
  parse(request: ResolvedRequest, filtered: FilteredRequest, cleanup: Cleanup): MaybePromise<Parsed | undefined>
  /** Asks the model. A prediction has only started when this returns. */
  model(request: ModelRequest, cleanup: Cleanup): MaybePromise<Reply>
}

/** A request whose model is settled, with the account that is kept of it. */
export interface AdmittedRequest {
  readonly request: ResolvedRequest
  readonly ledger: RequestLedger
}

/** A request that is ready for its model. */
export interface ModelRequest extends AdmittedRequest {
  readonly filtered: FilteredRequest
  readonly parsed: Parsed | undefined
}

/** Writes a reply to its client. Resolves once the reply is written. */
export type Deliver = (reply: Reply) => Promise<void>

/** A request as stage observers see it. */
export interface ObservedRequest {
  readonly incoming: IncomingRequest
  /** Set from the stage `model` on. */
  readonly ledger: RequestLedger | undefined
}

/**
 * Observes each stage that a request enters. The returned function runs when the request has ended, the last stage
 * first.
 */
export type StageObserver = (stage: StageName, request: ObservedRequest) => (() => void) | undefined

/** The core that every inference request passes, for every transport and format. */
export interface RequestCore {
  /**
   * Runs a request through every stage and hands its reply to `deliver`. Everything that the request holds is given
   * back when this settles.
   *
   * @throws {SvcError} the refusal of the request, or a failure before its reply has begun
   */
  serve(request: IncomingRequest, deliver: Deliver): Promise<RequestLedger>
}

/** Options of {@link createRequestCore}. */
export interface CoreOptions {
  readonly observe?: StageObserver | undefined
  /** @default no traces */
  readonly traces?: TraceRecorder | undefined
  /**
   * Called with every request that has ended. Must not throw.
   *
   * @param thrown the error that ended it before its reply
   */
  readonly onEnd?: ((ledger: RequestLedger | undefined, thrown: unknown) => void) | undefined
}

/** The parts of one run through the stages. */
interface Run {
  readonly cleanup: Cleanup
  readonly trace: RequestTrace | undefined
  /** Set once the model is known. */
  ledger: RequestLedger | undefined
}

/** Creates a core that runs the stages in order. */
export function createRequestCore(stages: Stages, { observe, traces, onEnd }: CoreOptions = {}): RequestCore {
  return {
    async serve(incoming, deliver) {
      const cleanup = new Cleanup()
      const trace = traces?.begin(incoming.context)
      const own: Run = { cleanup, trace, ledger: undefined }
      let thrown: unknown
      try {
        return await run(incoming, deliver, own)
      } catch (error) {
        thrown = error
        throw error
      } finally {
        cleanup.run(thrown)
        trace?.end(thrown)
        onEnd?.(own.ledger, thrown)
      }
    },
  }

  async function run(incoming: IncomingRequest, deliver: Deliver, own: Run): Promise<RequestLedger> {
    const { cleanup, trace } = own
    const enter = (stage: StageName, ledger?: RequestLedger): void => {
      trace?.enter(stage)
      const left = observe?.(stage, { incoming, ledger })
      if (left !== undefined) cleanup.add(left)
    }

    enter('body')
    const body = stages.body(incoming, cleanup)
    const { context, format, source, addressedModel } = incoming
    const document = body instanceof Promise ? await body : body
    const read: ReadRequest = { context, format, source, addressedModel, document }
    enter('resolve')
    const { requestedModel, replyModel, model: named, through, filteredAs } = stages.resolve(read)
    const found: ResolvedRequest = {
      context,
      format,
      source,
      addressedModel,
      document,
      requestedModel,
      replyModel,
      model: named,
      through,
      filteredAs,
    }
    enter('globalLimit')
    const limiting = stages.globalLimit(found, cleanup)
    if (limiting instanceof Promise) await limiting
    enter('router')
    const chosen = stages.router(found)
    const model = chosen instanceof Promise ? await chosen : chosen
    const request = model === found.model ? found : toRouted(found, model)
    const ledger = new RequestLedger(request.requestedModel, model, request.replyModel)
    ledger.trace = trace
    if (model !== found.model) ledger.showServed(model.name)
    own.ledger = ledger
    if (trace !== undefined) trace.account = ledger
    enter('access')
    const admitting = stages.access({ request, ledger }, cleanup)
    if (admitting instanceof Promise) await admitting
    enter('modelLimit')
    const limitingModel = stages.modelLimit(request, cleanup)
    if (limitingModel instanceof Promise) await limitingModel
    enter('pii')
    const filtering = stages.pii(request)
    const filtered = filtering instanceof Promise ? await filtering : filtering
    if (trace?.keepsBodies) trace.keepRequest(toTraced(request, filtered))
    enter('parse')
    const parsing = stages.parse(request, filtered, cleanup)
    const parsed = parsing instanceof Promise ? await parsing : parsing
    enter('model', ledger)
    const asking = stages.model({ request, filtered, parsed, ledger }, cleanup)
    const reply = asking instanceof Promise ? await asking : asking
    enter('reply', ledger)
    await deliver(reply)
    parsed?.call.completed?.(ledger.servedModel)
    return ledger
  }
}

/** Gives the body as traces keep it. */
function toTraced({ document, format }: ResolvedRequest, { splices }: FilteredRequest): Uint8Array {
  const texts = document.texts()
  const secrets = format.secrets?.(texts) ?? []
  const isSecret = ({ start, end }: Splice): boolean => secrets.some((one) => one.start <= start && end <= one.end)
  return format.traced?.(texts) ?? applySplices(texts.bytes, [...splices.filter((one) => !isSecret(one)), ...secrets])
}

/** The request of a router, for the model that it picked. */
function toRouted(request: ResolvedRequest, model: ModelConfig): ResolvedRequest {
  return { ...request, model, replyModel: model.name, through: [...request.through, request.model.name] }
}
