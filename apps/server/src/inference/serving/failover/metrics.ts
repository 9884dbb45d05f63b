import type { FailoverGroup } from '@svc/proxy/failover'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { FailoverGroupEvent } from '../../../bus/subjects.ts'

/**
 * Counts events of failover groups and exports the state of their targets. Labels are names of model files.
 *
 * @param known reads the current groups; called at each scrape
 */
export function createFailoverMetrics(
  registry: Registry,
  known: () => ReadonlyMap<string, FailoverGroup>,
): (group: string, event: FailoverGroupEvent) => void {
  const switches = new Counter({
    name: 'svc_failover_switches_total',
    help: 'Changes of the serving target of a failover group.',
    labelNames: ['model', 'to'] as const,
    registers: [registry],
  })
  new Gauge({
    name: 'svc_failover_target_up',
    help: 'Whether a target of a failover group is up (1), or down or rate-limited (0), from the first request of the group on.',
    labelNames: ['model', 'target'] as const,
    registers: [registry],
    // Reads the state at each scrape, so that ended rests show and removed groups do not.
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
