import { checkArgument } from '@svc/errors'

/** The speed of a model, as its replies have shown it. */
export interface MeasuredLatency {
  /** Mean time to the first token, milliseconds; undefined where it was never measured. */
  readonly firstTokenMs: number | undefined
  /** Mean speed of an answer; undefined before one of several tokens was measured. */
  readonly tokensPerSecond: number | undefined
  /** Monotonic milliseconds of the newest measurement. */
  readonly measuredAt: number
}

/** One measured reply. */
export interface LatencySample {
  /** Leave out where only whole answers are timed: their tokens a second hold the wait then. */
  readonly firstTokenMs?: number | undefined
  /** Leave out where the answer was too short to tell. */
  readonly tokensPerSecond?: number | undefined
}

/** Latencies of models, for `latency` and `fastest`. */
export interface LatencyBook {
  find(model: string): MeasuredLatency | undefined
}

/** Measured latencies of models. */
export interface Latencies extends LatencyBook {
  /** @param at monotonic milliseconds */
  record(model: string, sample: LatencySample, at: number): void
}

/** Weight of a new sample in the mean. */
const WEIGHT = 0.2
const DEFAULT_MAX_MODELS = 1_000

/**
 * Keeps exponential means of the replies of each model, in memory. The model that was measured longest ago is forgotten
 * first.
 */
export function createLatencies({ maxModels = DEFAULT_MAX_MODELS }: { readonly maxModels?: number } = {}): Latencies {
  const isCount = Number.isSafeInteger(maxModels) && maxModels > 0
  checkArgument(isCount, 'createLatencies: maxModels', 'a positive count', maxModels)
  const known = new Map<string, MeasuredLatency>()
  return {
    find: (model) => known.get(model),
    record(model, { firstTokenMs, tokensPerSecond }, at) {
      if (!isMeasure(firstTokenMs) && !isMeasure(tokensPerSecond)) return
      const before = known.get(model)
      known.delete(model)
      known.set(model, {
        firstTokenMs: isMeasure(firstTokenMs) ? mix(before?.firstTokenMs, firstTokenMs) : before?.firstTokenMs,
        tokensPerSecond:
          isMeasure(tokensPerSecond) && tokensPerSecond > 0
            ? mix(before?.tokensPerSecond, tokensPerSecond)
            : before?.tokensPerSecond,
        measuredAt: at,
      })
      const [oldest] = known.keys()
      if (known.size > maxModels && oldest !== undefined) known.delete(oldest)
    },
  }
}

function isMeasure(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0
}

function mix(mean: number | undefined, sample: number): number {
  return mean === undefined ? sample : mean + WEIGHT * (sample - mean)
}

/** Milliseconds until an answer of that many tokens is whole, as far as it is known. */
export function estimateDuration({ firstTokenMs, tokensPerSecond }: MeasuredLatency, tokens: number): number {
  return (firstTokenMs ?? 0) + (tokensPerSecond === undefined ? 0 : (tokens / tokensPerSecond) * 1000)
}
