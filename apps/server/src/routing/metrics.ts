import type { EmbeddingCacheStats, Router, RouterDecision } from '@svc/router'
import { Counter, Histogram, type Registry } from 'prom-client'

/** Metrics of routers. */
export interface RoutingMetrics {
  observe(router: Router, decision: RouterDecision): void
}

/** Results of a lookup in an embedding cache, and how its statistics call them. */
const CACHE_RESULTS = {
  hit: 'hits',
  miss: 'misses',
  near_miss: 'nearMisses',
  low_confidence: 'lowConfidence',
  embedder_error: 'embedderErrors',
  store_error: 'storeErrors',
} as const satisfies Readonly<Record<string, keyof EmbeddingCacheStats>>

/** Limits in seconds, from a remembered prompt to a classifier that runs into its limit. */
const BUCKETS = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Makes the metrics on the server's registry. Labels are names of model files and words of this program. */
export function createRoutingMetrics(registry: Registry): RoutingMetrics {
  const decisions = new Counter({
    name: 'svc_router_decisions_total',
    help: 'Requests that a router gave to a model.',
    labelNames: ['router', 'classifier', 'served_model', 'cached', 'fallback'] as const,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'svc_router_classification_seconds',
    help: 'Time from a prompt to the decision of its router, in seconds.',
    labelNames: ['classifier'] as const,
    buckets: BUCKETS,
    registers: [registry],
  })
  const lookups = new Counter({
    name: 'svc_router_cache_lookups_total',
    help: 'Lookups in the embedding caches of routers by result. A near miss is a miss, too.',
    labelNames: ['router', 'result'] as const,
    registers: [registry],
  })
  const seen = new WeakMap<Router, EmbeddingCacheStats>()
  return {
    observe(router, { classifier, servedModel, cached, usedFallback, latencyMs }) {
      const labels = { router: router.name, classifier, served_model: servedModel }
      decisions.inc({ ...labels, cached: String(cached), fallback: String(usedFallback) })
      seconds.observe({ classifier }, latencyMs / 1000)
      const stats = router.readCacheStats()
      if (stats === undefined) return
      const before = seen.get(router)
      for (const [result, key] of Object.entries(CACHE_RESULTS)) {
        const more = stats[key] - (before?.[key] ?? 0)
        if (more > 0) lookups.inc({ router: router.name, result }, more)
      }
      seen.set(router, stats)
    },
  }
}
