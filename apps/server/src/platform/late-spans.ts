import type { SpanRecorder } from '../monitoring/recorders.ts'
import type { OpenSpans, SpansParts } from '../monitoring/spans/open-spans.ts'

/** Spans for programs elsewhere. Nothing of them is loaded unless the variables of OpenTelemetry ask for it. */
export interface LateSpans {
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
export function createLateSpans(parts: SpansParts): LateSpans {
  const isAsked = ENDPOINTS.some((name) => (parts.environment[name] ?? '').trim() !== '')
  let opening: Promise<void> | undefined
  let opened: OpenSpans | undefined

  async function load(): Promise<void> {
    const { openSpans } = await import('../monitoring/spans/open-spans.ts')
    opened = await openSpans(parts)
  }

  return {
    isAsked,
    get recorder() {
      return opened?.recorder
    },
    get lost() {
      return opened?.lost ?? 0
    },
    open() {
      if (!isAsked) return Promise.resolve()
      opening ??= load()
      return opening
    },
    async close() {
      await opening
      await opened?.close()
    },
  }
}
