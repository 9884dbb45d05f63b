import type { FailoverGroup } from '@svc/proxy/failover'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ChainEvent } from './chains.ts'

/**
 * Counts what happens to chains, and shows how their targets are. Labels are names of model files.
 *
 * @param known the chains that there are when somebody looks
 */
export function createFailoverMetrics(
  registry: Registry,
  known: () => ReadonlyMap<string, FailoverGroup>,
): (chain: string, event: ChainEvent) => void {
  const switches = new Counter({
    name: 'svc_failover_switches_total',
    help: 'How often another target of a chain began to serve.',
    labelNames: ['model', 'to'] as const,
    registers: [registry],
  })
  new Gauge({
    name: 'svc_failover_target_up',
    help: 'Whether a target of a chain is up (1), or down or rate-limited (0), from the first request for the chain on.',
    labelNames: ['model', 'target'] as const,
    registers: [registry],
    // Looked up, so that a rest which has ended shows, and chains that are gone do not.
    collect() {
      this.reset()
      for (const [model, { states }] of known()) {
        for (const { model: target, status } of states) this.set({ model, target }, status === 'up' ? 1 : 0)
      }
    },
  })
  return (model, event) => {
    if (event.type === 'switch') switches.inc({ model, to: event.to })
  }
}
