import { nameMediaFigures } from '../../monitoring/media-figures.ts'
import type { BackendTraceRecorder } from '../../monitoring/recorders.ts'
import { toOperation } from '../../monitoring/spans/request-spans.ts'
import type { SpanScope } from '../../monitoring/spans/span-scope.ts'
import type { BackendTraceStart, BackendTraceType, OpenBackendTrace } from '../../monitoring/traces/backend-trace.ts'
import type { MediaUsage, PredictionStep, StepBatches } from '../core/events.ts'
import type { ModelRequest } from '../core/pipeline.ts'
import type { GenerationRequest } from '../core/request.ts'
import type { ExecuteOptions, Executor } from '../engine/executor.ts'
import { followLive } from '../operations/live-result.ts'
import type { OperationKind, OperationRequest } from '../operations/operation.ts'
import type { RequestHeader } from '../serving/upstream/hop-headers.ts'
import type { RelayUpstream } from '../serving/upstream/relay.ts'
import type { TranslateUpstream } from '../serving/upstream/translate.ts'

/** Kinds of operations in traces. The others ask for facts of a model that is loaded. */
const TYPES: Readonly<Partial<Record<OperationKind, BackendTraceType>>> = {
  embed: 'embedding',
  rerank: 'rerank',
  tokenize: 'tokenize',
  detokenize: 'tokenize',
  count: 'tokenize',
  score: 'score',
  decide: 'score',
  classify: 'token_classify',
  'save-slot': 'slot',
  'restore-slot': 'slot',
  'store-set': 'vector_store',
  'store-get': 'vector_store',
  'store-delete': 'vector_store',
  'store-find': 'vector_store',
  transcribe: 'transcription',
  'transcribe-live': 'transcription',
  converse: 'conversation',
  'verify-voice': 'speaker_recognition',
  speak: 'tts',
  'make-sound': 'sound_generation',
  'detect-speech': 'vad',
  diarize: 'diarization',
  'classify-sound': 'sound_classification',
  'make-image': 'image',
  'upscale-image': 'image',
  'make-video': 'video',
  'detect-objects': 'detection',
}

/** Wraps an executor, so that its calls are traced. */
export function traceExecutor(executor: Executor, traces: BackendTraceRecorder): Executor {
  return {
    predict(request, options) {
      if (!traces.isOn) return executor.predict(request, options)
      const span = traces.openSpan(options)
      return traceBatches(executor.predict(request, withSpan(options, span)), traces, {
        ...readStart(options),
        type: 'llm',
        operation: toOperation(request.kind),
        summary: summarizeGeneration(request),
        span,
      })
    },
    perform(request, options) {
      const type = TYPES[request.kind]
      if (type === undefined || !traces.isOn) return executor.perform(request, options)
      const { summary, data } = summarizeOperation(request)
      const span = traces.openSpan(options)
      const trace = traces.begin({ ...readStart(options), type, summary, data, span })
      const told = withSpan(options, span)
      if (trace === undefined) return executor.perform(request, told)
      const onMedia = (media: MediaUsage): void => {
        trace.note(nameMediaFigures(media))
        options.onMedia?.(media)
      }
      return executor.perform(request, { ...told, onMedia }).then(
        (done) => {
          trace.note({ prompt_tokens: done.promptTokens })
          return followLive(done, { onEnd: (error) => trace.end(error) })
        },
        (error: unknown) => {
          trace.end(error)
          throw error
        },
      )
    },
  }
}

/** Wraps translation, so that its calls are traced. */
export function traceTranslation(translate: TranslateUpstream, traces: BackendTraceRecorder): TranslateUpstream {
  return (asked, options) => {
    if (!traces.isOn) return translate(asked, options)
    const { context } = options
    const span = traces.openSpan({ trace: options.trace, correlationId: context.requestId })
    const { requestId, signal } = context
    const told = { requestId, signal, ...withSpan({ header: (name) => context.header(name) }, span) }
    return traceBatches(translate(asked, { ...options, context: told }), traces, {
      type: 'llm',
      span,
      modelName: options.model.name,
      backend: options.model.backend,
      summary: `${formatCount(asked.chat.messages.length, 'message')}, translated${options.stream ? ', streamed' : ''}`,
      correlationId: requestId,
    })
  }
}

/** Wraps relaying, so that its calls are traced. */
export function traceRelay(relay: RelayUpstream, traces: BackendTraceRecorder): RelayUpstream {
  return async (asked, outgoing) => {
    if (!traces.isOn) return relay(asked, outgoing)
    const { ledger, request } = asked
    const span = traces.openSpan({ trace: ledger.trace, correlationId: request.context.requestId })
    const trace = traces.begin({ ...describeRelay(asked), span })
    if (trace === undefined) return relay(asked, outgoing)
    try {
      await relay(asked, outgoing, span?.traceparent)
      const { failure, upstreamStatus, usage } = ledger
      if (upstreamStatus !== undefined) trace.note({ status: upstreamStatus })
      trace.note({ prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens })
      trace.end(failure)
    } catch (error) {
      trace.end(error)
      throw error
    }
  }
}

function describeRelay({ request: { context, document, model } }: ModelRequest) {
  return {
    type: 'llm',
    modelName: model.name,
    backend: model.backend,
    summary: `${document.texts().bytes.length} bytes, relayed`,
    correlationId: context.requestId,
  } as const
}

/** Tells the callee of a call its span, instead of the one of the client. */
function withSpan<Options extends { readonly header?: RequestHeader | undefined }>(
  options: Options,
  span: SpanScope | undefined,
): Options & { readonly header?: RequestHeader | undefined } {
  if (span === undefined) return options
  const { header } = options
  return { ...options, header: (name) => (name === 'traceparent' ? span.traceparent : header?.(name)) }
}

function readStart({ model, correlationId }: ExecuteOptions) {
  return { modelName: model.name, backend: model.backend, correlationId }
}

/** Begins the trace with the first pull, as the call does: a prediction that nobody asks for leaves none. */
async function* traceBatches(
  batches: StepBatches,
  traces: BackendTraceRecorder,
  start: BackendTraceStart,
): StepBatches {
  const trace = traces.begin(start)
  let thrown: unknown
  let isEnded = false
  try {
    for await (const steps of batches) {
      if (trace !== undefined) for (const step of steps) noteUsage(step, trace)
      yield steps
    }
    isEnded = true
  } catch (error) {
    thrown = error
    isEnded = true
    throw error
  } finally {
    if (!isEnded) trace?.note({ left: true })
    trace?.end(thrown)
  }
}

function noteUsage(step: PredictionStep, trace: OpenBackendTrace): void {
  if (step.type !== 'usage' && step.type !== 'progress') return
  const { promptTokens, completionTokens, promptMs, generationMs } = step.usage
  trace.note({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    prompt_ms: promptMs,
    generation_ms: generationMs,
  })
}

function summarizeGeneration(request: GenerationRequest): string {
  const what =
    request.kind === 'chat'
      ? formatCount(request.messages.length, 'message')
      : formatCount(request.prompts.length, 'prompt')
  return `${request.kind}, ${what}${request.stream ? ', streamed' : ''}`
}

function summarizeOperation(request: OperationRequest): {
  readonly summary: string
  readonly data?: Readonly<Record<string, number>>
} {
  switch (request.kind) {
    case 'embed':
      return count('inputs', request.inputs.length)
    case 'rerank':
      return count('documents', request.documents.length)
    case 'tokenize':
      return count('characters', request.text.length)
    case 'detokenize':
      return count('tokens', request.tokens.length)
    case 'count':
      return count('messages', request.chat.messages.length)
    case 'score':
      return count('candidates', request.candidates.length)
    case 'decide':
      return count('questions', request.questions.length)
    case 'classify':
      return count('characters', request.text.length)
    case 'save-slot':
      return { summary: `slot ${request.slot} saved`, data: { slot: request.slot } }
    case 'restore-slot':
      return { summary: `slot ${request.slot} restored`, data: { slot: request.slot } }
    case 'store-set':
      return count('entries', request.entries.length)
    case 'store-get':
    case 'store-delete':
      return count('keys', request.keys.length)
    case 'store-find':
      return { summary: `nearest ${request.count}`, data: { count: request.count } }
    case 'speak':
    case 'make-sound':
      return count('characters', request.text.length)
    case 'detect-speech':
      return count('samples', request.samples.length)
    case 'converse':
      return count('samples', request.samples.length)
    case 'verify-voice':
      return { summary: '2 recordings' }
    case 'transcribe-live':
      return { summary: '1 recording, live' }
    case 'transcribe':
    case 'diarize':
    case 'classify-sound':
      return { summary: '1 recording' }
    case 'context-size':
    case 'list-voices':
      return { summary: '' }
    case 'make-image':
      return count('images', request.count)
    case 'upscale-image':
      return count('scale', request.scale)
    case 'make-video':
      return count('frames', request.frames ?? 0)
    case 'detect-objects':
      return count('marks', request.points.length / 3 + request.boxes.length / 4)
  }
}

const count = (what: string, number: number) => ({ summary: `${number} ${what}`, data: { [what]: number } })

const formatCount = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
