import type { SpanScope } from './span-scope.ts'

/** Values of attributes. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** The place of a span in the network, with the numbers of the API of OpenTelemetry. */
export const SPAN_KINDS = { internal: 0, server: 1, client: 2 } as const

/** A span that has ended. */
export interface FinishedSpan {
  readonly scope: SpanScope
  readonly name: string
  readonly kind: keyof typeof SPAN_KINDS
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number
  readonly durationMs: number
  /** Attributes without a value are left out. */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  readonly isFailed: boolean
}
