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
  /** The middle of three more of the same decision. */
  readonly placementAgainMs: number[]
  readonly choiceMs: number[]
  readonly reconcileMs: number[]
  /**
   * Per model and day: requests of each replica, and those that it would have got if each request were split evenly among
   * the replicas of its time.
   */
  readonly load: Map<string, Map<string, { requests: number; even: number }>>
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
    placementAgainMs: [],
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

/** How far replicas of one model are from even, by day: each as a share of its even load. */
export interface Evenness {
  /** Busiest replica over its even load, less 1: the mean over models and days, weighed by requests. */
  readonly busiest: number
  /** Absolute distance from the even load: the mean over replicas, weighed by requests. */
  readonly mean: number
  readonly models: number
}

/** Replicas of a model on a day that had enough requests. */
function* sharesByDay(load: Measures['load'], minRequests: number) {
  for (const replicas of load.values()) {
    const rows = [...replicas.values()].filter(({ even }) => even >= minRequests)
    if (rows.length < 2) continue
    yield {
      shares: rows.map(({ requests, even }) => requests / even),
      requests: rows.reduce((sum, row) => sum + row.requests, 0),
    }
  }
}

/** @param minRequests of a replica in a day, where all are even, so that chance does not hide the choice */
export function measureEvenness(load: Measures['load'], minRequests: number): Evenness {
  let [weight, busiest, distance, models] = [0, 0, 0, 0]
  for (const { shares, requests } of sharesByDay(load, minRequests)) {
    models += 1
    weight += requests
    busiest += requests * (Math.max(...shares) - 1)
    distance += (requests * shares.reduce((sum, share) => sum + Math.abs(share - 1), 0)) / shares.length
  }
  return { busiest: busiest / weight, mean: distance / weight, models }
}

/** How many replicas had which share of the mean, in steps of 5 %. */
export function spreadOfLoad(
  load: Measures['load'],
  minRequests: number,
): readonly { readonly label: string; readonly share: number }[] {
  const counts = new Map<number, number>()
  let all = 0
  for (const { shares } of sharesByDay(load, minRequests))
    for (const share of shares) {
      const step = Math.min(26, Math.max(14, Math.round(share * 20)))
      counts.set(step, (counts.get(step) ?? 0) + 1)
      all += 1
    }
  return Array.from({ length: 13 }, (_, index) => ({
    label: `${70 + 5 * index} %`,
    share: (counts.get(14 + index) ?? 0) / Math.max(1, all),
  }))
}
