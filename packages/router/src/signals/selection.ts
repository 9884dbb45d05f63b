import type { RouterCandidate } from '../settings.ts'
import { estimateDuration } from './latencies.ts'
import type { SelectSettings } from './settings.ts'
import type { RequestView } from './view.ts'

const DEFAULT_OUTPUT_TOKENS = 500
const DEFAULT_EXPLORE = 0.05
const DEFAULT_STALE_SECONDS = 600

/** A choice among the candidates that fit, with its evidence. */
export interface Selected {
  readonly model: string
  readonly by: SelectSettings['by']
  /** Candidates that fit. */
  readonly fitting: number
  /** Expected cost; absent where it is unknown. */
  readonly cost?: number | undefined
  /** Expected milliseconds until the answer is whole; absent where nothing was measured. */
  readonly durationMs?: number | undefined
  /** Whether the model was chosen to measure it. */
  readonly explores?: boolean | undefined
}

/** Chooses among candidates. */
export type Selector = (candidates: readonly RouterCandidate[], view: RequestView) => Selected | undefined

/** @param monotonic milliseconds since some moment */
export function createSelector(settings: SelectSettings, monotonic: () => number): Selector {
  const { by, expectedOutputTokens = DEFAULT_OUTPUT_TOKENS } = settings
  const explore = by === 'fastest' ? createExplorer(settings, monotonic) : undefined
  return (candidates, view) => {
    const fitting = candidates.filter(({ model }) => fits(model, view, expectedOutputTokens)).map(({ model }) => model)
    const [first] = fitting
    if (first === undefined) return undefined
    const count = { by, fitting: fitting.length }
    if (by === 'fitting') return { model: first, ...count }
    if (by === 'cheapest') return { ...findCheapest(fitting, view, expectedOutputTokens), ...count }
    const tried = view.isTrial ? undefined : explore?.(fitting, view)
    if (tried !== undefined) return { model: tried, ...count, explores: true }
    return { ...findFastest(fitting, view, expectedOutputTokens), ...count }
  }
}

/** Whether nothing that is known says that a model cannot serve a request. */
export function fits(model: string, { ports, facts, promptTokens }: RequestView, outputTokens: number): boolean {
  const { contextSize, takesImages, takesAudio, takesTools, isHealthy } = ports.targets.describe(model)
  if (isHealthy === false) return false
  if (facts.hasImages === true && takesImages === false) return false
  if (facts.hasAudio === true && takesAudio === false) return false
  if (facts.hasTools === true && takesTools === false) return false
  return contextSize === undefined || promptTokens + outputTokens <= contextSize
}

/** The model with the least known amount, the first of equals; without any amount, the first model. */
function findLeast(models: readonly string[], measure: (model: string) => number | undefined) {
  let least: { readonly model: string; readonly amount: number } | undefined
  for (const model of models) {
    const amount = measure(model)
    if (amount !== undefined && (least === undefined || amount < least.amount)) least = { model, amount }
  }
  return least
}

function findCheapest(models: readonly string[], view: RequestView, completionTokens: number) {
  const use = { promptTokens: view.promptTokens, completionTokens }
  const least = findLeast(models, (model) => view.ports.targets.expectCost?.(model, use))
  return { model: least?.model ?? models[0] ?? '', cost: least?.amount }
}

function findFastest(models: readonly string[], view: RequestView, tokens: number) {
  const least = findLeast(models, (model) => {
    const latency = view.ports.latencies.find(model)
    return latency && estimateDuration(latency, tokens)
  })
  return { model: least?.model ?? models[0] ?? '', durationMs: least?.amount }
}

/**
 * Gives a share of the choices to the models that were not measured lately, the longest one first. A model counts as
 * tried once it was chosen, so that one that never answers does not take the whole share. No chance is in it.
 */
function createExplorer(
  { explore = DEFAULT_EXPLORE, staleSeconds = DEFAULT_STALE_SECONDS }: SelectSettings,
  monotonic: () => number,
): (models: readonly string[], view: RequestView) => string | undefined {
  const triedAt = new Map<string, number>()
  let credit = 0
  return (models, { ports }) => {
    const now = monotonic()
    const touched = (model: string): number =>
      Math.max(
        ports.latencies.find(model)?.measuredAt ?? Number.NEGATIVE_INFINITY,
        triedAt.get(model) ?? Number.NEGATIVE_INFINITY,
      )
    const stale = models.filter((model) => now - touched(model) >= staleSeconds * 1000)
    credit = Math.min(1, credit + explore)
    // With nothing measured at all, the first model serves and is measured.
    if (stale.length === 0 || models.every((model) => ports.latencies.find(model) === undefined)) return undefined
    // Sums of shares such as 0.05 end a little below 1.
    if (credit < 1 - 1e-9) return undefined
    credit = 0
    const oldest = stale.reduce((one, other) => (touched(other) < touched(one) ? other : one))
    triedAt.set(oldest, now)
    return oldest
  }
}
