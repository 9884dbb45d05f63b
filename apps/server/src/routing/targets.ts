import type { FailoverGroup } from '@svc/proxy/failover'
import type { LatencyBook, Targets } from '@svc/router/signals'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock } from '../ports.ts'
import type { PriceBook } from '../spend/price-book.ts'
import { describeTarget } from './target-facts.ts'
import type { TargetStates } from './target-states.ts'

/** Parts of {@link createTargets}. */
export interface TargetParts {
  readonly states: Pick<TargetStates, 'isHealthy' | 'latencies'>
  readonly findModel: (name: string) => ModelConfig | undefined
  /** The failover groups that were asked, by name. */
  readonly knownGroups: () => ReadonlyMap<string, Pick<FailoverGroup, 'states'>>
  readonly prices: PriceBook
  readonly clock: Pick<Clock, 'now'>
}

/** The candidates of routers as the server knows them. An alias is its model. */
export function createTargets({ states, findModel, knownGroups, prices, clock }: TargetParts): {
  readonly targets: Targets
  readonly latencies: LatencyBook
} {
  const isHealthy = (name: string): boolean | undefined => {
    const group = knownGroups().get(name)
    // A group serves while one of its targets does.
    if (group?.states.every(({ status }) => status !== 'up') === true) return false
    return states.isHealthy(name)
  }
  return {
    latencies: { find: (name) => states.latencies.find(findModel(name.trim())?.name ?? name) },
    targets: {
      describe(name) {
        const model = findModel(name.trim())
        // The router itself refuses a missing model.
        return model === undefined ? {} : { ...describeTarget(model), isHealthy: isHealthy(model.name) }
      },
      expectCost(name, { promptTokens, completionTokens }) {
        const model = findModel(name.trim())
        if (model === undefined) return undefined
        const use = { usage: { promptTokens, completionTokens }, durationMs: 0 }
        return prices.costOf(model, use, clock.now())
      },
    },
  }
}
