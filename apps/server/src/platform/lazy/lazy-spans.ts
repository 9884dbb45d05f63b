import { createLazy } from '../../concurrency/lazy.ts'
import type { SpanRecorder } from '../../monitoring/recorders.ts'
import type { SpansParts } from '../../monitoring/spans/open-spans.ts'

/** Spans for programs elsewhere. Nothing of them is loaded unless the variables of OpenTelemetry ask for it. */
export interface LazySpans {
  /** Undefined until `open` has resolved, and where no spans are sent. */
  readonly recorder: SpanRecorder | undefined
  /** Number of spans that did not reach the receiver. */
  readonly lost: number
  /** Whether spans are asked for. */
  readonly isAsked: boolean
  /** Loads them with the first call. */
  open(): Promise<void>
  close(): Promise<void>
}

/** The variables that ask for spans. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']

/** Creates the spans of a server. */
export function createLazySpans(parts: SpansParts): LazySpans {
  const isAsked = ENDPOINTS.some((name) => (parts.environment[name] ?? '').trim() !== '')
  const spans = createLazy(async () => (await import('../../monitoring/spans/open-spans.ts')).openSpans(parts))

  return {
    isAsked,
    get recorder() {
      return spans.opened()?.recorder
    },
    get lost() {
      return spans.opened()?.lost ?? 0
    },
    async open() {
      if (isAsked) await spans.open()
    },
    async close() {
      await (await spans.settled())?.close()
    },
  }
}
