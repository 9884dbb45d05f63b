import type { BackendTraceRecorder } from '../monitoring/recorders.ts'
import type { BackendTraceStart, BackendTraceType, OpenBackendTrace } from '../monitoring/traces/backend-trace.ts'
import type { PredictionStep, StepBatches } from './events.ts'
import type { ExecuteOptions, Executor } from './executor.ts'
import type { OperationKind, OperationRequest } from './operations/operation.ts'
import type { ModelRequest } from './pipeline.ts'
import type { GenerationRequest } from './request.ts'
import type { RelayUpstream } from './upstream/relay.ts'
import type { TranslateUpstream } from './upstream/translate.ts'

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
}

/** Wraps an executor, so that its calls are traced. */
export function traceExecutor(executor: Executor, traces: BackendTraceRecorder): Executor {
  return {
    predict(request, options) {
      const batches = executor.predict(request, options)
      if (!traces.isOn) return batches
      return traceBatches(batches, traces, {
        ...readStart(options),
        type: 'llm',
        summary: summarizeGeneration(request),
      })
    },
    perform(request, options) {
      const type = TYPES[request.kind]
      if (type === undefined) return executor.perform(request, options)
      const { summary, data } = summarizeOperation(request)
      const trace = traces.begin({ ...readStart(options), type, summary, data })
      const result = executor.perform(request, options)
      if (trace === undefined) return result
      return result.then(
        (done) => {
          trace.note({ prompt_tokens: done.promptTokens })
          trace.end()
          return done
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
  return (chat, options) => {
    const batches = translate(chat, options)
    if (!traces.isOn) return batches
    return traceBatches(batches, traces, {
      type: 'llm',
      modelName: options.model.name,
      backend: options.model.backend,
      summary: `${formatCount(chat.messages.length, 'message')}, translated${options.stream ? ', streamed' : ''}`,
      correlationId: options.context.requestId,
    })
  }
}

/** Wraps relaying, so that its calls are traced. */
export function traceRelay(relay: RelayUpstream, traces: BackendTraceRecorder): RelayUpstream {
  return async (asked, outgoing) => {
    const trace = traces.begin(describeRelay(asked))
    if (trace === undefined) return relay(asked, outgoing)
    try {
      await relay(asked, outgoing)
      const { failure, upstreamStatus, usage } = asked.ledger
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
    summary: `${document.bytes.length} bytes, relayed`,
    correlationId: context.requestId,
  } as const
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
    case 'context-size':
      return { summary: '' }
  }
}

const count = (what: string, number: number) => ({ summary: `${number} ${what}`, data: { [what]: number } })

const formatCount = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
