import { toSvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import { toPublicError } from '../../public-error.ts'
import type { SpannedCall } from '../spans/request-spans.ts'
import type { SpanScope } from '../spans/span-scope.ts'
import { toNanoseconds } from './request-trace.ts'
import type { TraceSlot } from './trace-log.ts'

/** Kinds of calls to backends. */
export type BackendTraceType =
  | 'llm'
  | 'embedding'
  | 'rerank'
  | 'tokenize'
  | 'score'
  | 'token_classify'
  | 'transcription'
  | 'tts'
  | 'sound_generation'
  | 'vad'
  | 'diarization'
  | 'sound_classification'
  | 'speaker_recognition'
  | 'conversation'
  | 'image'
  | 'video'
  | 'detection'
  | 'pattern_pii'
  | 'slot'
  | 'vector_store'
  | 'model_load'

/** Figures of a call. */
export type BackendTraceData = Readonly<Record<string, string | number | boolean>>

/** A call to a backend as it begins. */
export interface BackendTraceStart {
  readonly type: BackendTraceType
  readonly modelName: string
  readonly backend: string
  /** One line without text of the request. */
  readonly summary: string
  /** The request that the call is part of. */
  readonly correlationId?: string | undefined
  readonly data?: BackendTraceData | undefined
  /** The span of the call, where spans are sent. */
  readonly span?: SpanScope | undefined
  /** Name of the operation in spans. @default one by the type */
  readonly operation?: string | undefined
}

/** The trace of a call under way. */
export interface OpenBackendTrace {
  /** Adds figures. */
  note(data: BackendTraceData): void
  /** Ends it. A second call does nothing. @param thrown the failure; undefined on success */
  end(thrown?: unknown): void
}

const MAX_ERROR_LENGTH = 1024

/** Parts of a server that every trace of a call uses. */
export interface BackendTraceParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Takes a place in the list; undefined for a call that is not listed. */
  readonly open: ((write: (id: string) => string) => TraceSlot) | undefined
  /** Whether tracing is still on. */
  readonly isOn: () => boolean
  /** Takes the facts for the span, when it is sampled. */
  readonly onSpan?: ((call: SpannedCall) => void) | undefined
}

/** Opens the trace of a call. */
export function openBackendTrace(start: BackendTraceStart, parts: BackendTraceParts): OpenBackendTrace {
  const { clock } = parts
  const at = clock.now()
  const startedAt = clock.monotonic()
  let data = start.data ?? {}
  let endedAt: number | undefined
  let outcome: { readonly status: string; readonly error?: string } = { status: 'running' }

  const write = (id: string): string =>
    JSON.stringify({
      id,
      timestamp: new Date(at).toISOString(),
      duration: toNanoseconds((endedAt ?? clock.monotonic()) - startedAt),
      ...outcome,
      type: start.type,
      model_name: start.modelName,
      backend: start.backend,
      summary: start.summary,
      ...(start.correlationId ? { correlation_id: start.correlationId } : {}),
      data,
    })
  const slot = parts.open?.(write)
  return {
    note(figures) {
      data = { ...data, ...figures }
    },
    end(thrown) {
      if (endedAt !== undefined) return
      endedAt = clock.monotonic()
      outcome =
        thrown === undefined
          ? { status: 'completed' }
          : { status: 'failed', error: describeFailure(thrown).slice(0, MAX_ERROR_LENGTH) }
      if (parts.isOn()) slot?.finish(write)
      else slot?.drop()
      const { span } = start
      if (span?.isSampled !== true) return
      parts.onSpan?.({
        scope: span,
        type: start.type,
        operation: start.operation,
        modelName: start.modelName,
        backend: start.backend,
        correlationId: start.correlationId,
        startedAt: at,
        durationMs: endedAt - startedAt,
        error: thrown === undefined ? undefined : toSvcError(thrown),
        data,
      })
    },
  }
}

function describeFailure(thrown: unknown): string {
  const { code } = toSvcError(thrown)
  const { message } = toPublicError(thrown)
  return code === '' ? message : `${code}: ${message}`
}
