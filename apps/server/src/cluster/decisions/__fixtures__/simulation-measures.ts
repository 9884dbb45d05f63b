/** Figures of one run of the simulation. */
export interface Measures {
  requests: number
  /** Requests with a choice between replicas. */
  choices: number
  /** Sum of the shares of the prompts that the chosen replica had worked on, over all choices. */
  hitShare: number
  /** The same for the best of the replicas that could have been chosen. */
  bestShare: number
  /** The same as if all replicas of a model had one cache that nothing empties but time. */
  boundShare: number
  coldStarts: number
  evictions: number
  nodeFailures: number
  /** Running requests that a failure cut. */
  cut: number
  /** Requests that met a dead node and were sent to another. */
  rerouted: number
  /** Requests that found no place within a minute. */
  unplaced: number
  /** Rounds of the reconciler, and those in which a model was below its least number. */
  rounds: number
  roundsBelowMin: number
  overcommitted: number
  /** Milliseconds of each decision. */
  readonly placementMs: number[]
  readonly choiceMs: number[]
  readonly reconcileMs: number[]
  /** Per model and day: requests and time up of each replica. */
  readonly load: Map<string, Map<string, { requests: number; upMs: number }>>
}

export function createMeasures(): Measures {
  return {
    requests: 0,
    choices: 0,
    hitShare: 0,
    bestShare: 0,
    boundShare: 0,
    coldStarts: 0,
    evictions: 0,
    nodeFailures: 0,
    cut: 0,
    rerouted: 0,
    unplaced: 0,
    rounds: 0,
    roundsBelowMin: 0,
    overcommitted: 0,
    placementMs: [],
    choiceMs: [],
    reconcileMs: [],
    load: new Map(),
  }
}

/** The value below which a share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** How far replicas of one model are from even, by day: each as a share of the mean of its model. */
export interface Evenness {
  /** Busiest replica over the mean, less 1: the mean over models and days, weighed by requests. */
  readonly busiest: number
  /** Absolute distance from the mean: the mean over replicas, weighed by requests. */
  readonly mean: number
  readonly models: number
}

/** @param minRequests of a replica in a day, on the mean, so that chance does not hide the choice */
export function measureEvenness(load: Measures['load'], minRequests: number): Evenness {
  let [weight, busiest, distance, models] = [0, 0, 0, 0]
  for (const replicas of load.values()) {
    // A replica that was up for a part of the day counts by its rate.
    const rows = [...replicas.values()].filter(({ upMs }) => upMs > 12 * 3_600_000)
    const rates = rows.map(({ requests, upMs }) => requests / upMs)
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
    const requests = rows.reduce((sum, row) => sum + row.requests, 0)
    if (rows.length < 2 || requests / rows.length < minRequests) continue
    models += 1
    weight += requests
    busiest += requests * (Math.max(...rates) / mean - 1)
    distance += (requests * rates.reduce((sum, rate) => sum + Math.abs(rate / mean - 1), 0)) / rates.length
  }
  return { busiest: busiest / weight, mean: distance / weight, models }
}
