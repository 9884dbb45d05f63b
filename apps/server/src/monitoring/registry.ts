import { Counter, Registry } from 'prom-client'
import { CallDurations } from './call-durations.ts'
import { collectProcessFigures } from './process-figures.ts'
import { registerServerSeries } from './register-server-series.ts'
import type { CallSeries, ServerSeries } from './server-series.ts'

/** Numbers that only grow. */
export interface Counted {
  readonly prompt: number
  readonly completion: number
  readonly formMismatches: number
}

/** A registry over plain numbers, which it reads when somebody asks: counting with labels costs more than the sum. */
export function createRegistry(calls: CallSeries, counted: Counted, server: ServerSeries): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectProcessFigures(registry)
  new CallDurations(registry, calls)
  registerServerSeries(registry, server)
  new Counter({
    name: 'svc_tokens_total',
    help: 'Tokens of finished predictions.',
    labelNames: ['kind'] as const,
    registers,
    collect() {
      this.reset()
      for (const kind of ['prompt', 'completion'] as const) if (counted[kind] > 0) this.inc({ kind }, counted[kind])
    },
  })
  new Counter({
    name: 'svc_answer_form_mismatches_total',
    help: 'Answers and tool calls that were delivered without the form that was asked for.',
    registers,
    collect() {
      this.reset()
      this.inc(counted.formMismatches)
    },
  })
  return registry
}
