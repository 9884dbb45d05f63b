import type { Scheduling } from './nodes.ts'

/** The rules of a model that has none. */
export function noRules(model: string): Scheduling {
  return {
    model,
    nodeSelector: {},
    minReplicas: 0,
    maxReplicas: 0,
    spreadAll: false,
    routePolicy: '',
    balanceAbsThreshold: 0,
    balanceRelThreshold: 0,
    minPrefixMatch: 0,
    unsatisfiableUntil: undefined,
    unsatisfiableTicks: 0,
  }
}
