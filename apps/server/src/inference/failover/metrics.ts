import type { FailoverEvent } from '@svc/proxy'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Counts what happens to chains. Labels are names of model files and of states. */
export function createFailoverMetrics(registry: Registry): (chain: string, event: FailoverEvent) => void {
  const switches = new Counter({
    name: 'svc_failover_switches_total',
    help: 'How often another target of a chain began to serve.',
    labelNames: ['model', 'to'] as const,
    registers: [registry],
  })
  const up = new Gauge({
    name: 'svc_failover_target_up',
    help: 'Whether a target of a chain is up (1), or down or rate-limited (0), since it first changed.',
    labelNames: ['model', 'target'] as const,
    registers: [registry],
  })
  return (model, event) => {
    if (event.type === 'switch') switches.inc({ model, to: event.to })
    if (event.type === 'target-state') up.set({ model, target: event.model }, event.to === 'up' ? 1 : 0)
  }
}
