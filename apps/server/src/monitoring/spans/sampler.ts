import type { TraceParent } from './traceparent.ts'

/** Options of a sampler. */
export interface SamplerOptions {
  /** The share of traces without a caller that decides: 0 to 1. */
  readonly ratio: number
  /** Whether the decision of a caller holds. */
  readonly followsCaller: boolean
}

/** Decides whether the spans of a request are sent. */
export type Sampler = (traceId: string, caller: TraceParent | undefined) => boolean

const DIGITS = 13
const RANGE = 16 ** DIGITS

/** Creates the decision. It is the same for a trace in every program with this ratio. */
export function createSampler({ ratio, followsCaller }: SamplerOptions): Sampler {
  const limit = ratio * RANGE
  return (traceId, caller) =>
    followsCaller && caller !== undefined ? caller.isSampled : Number.parseInt(traceId.slice(-DIGITS), 16) < limit
}
