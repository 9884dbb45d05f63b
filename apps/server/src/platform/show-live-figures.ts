import type { ServerSeries } from '../monitoring/server-series.ts'
import type { Traces } from '../monitoring/traces/create-traces.ts'
import type { BackendModule } from './compose-backends.ts'
import type { LazySpans } from './lazy/lazy-spans.ts'

/** Adds the figures that are read at each scrape. */
export function showLiveFigures(
  series: ServerSeries,
  { backends, traces, spans }: { readonly backends: BackendModule; readonly traces: Traces; readonly spans: LazySpans },
): void {
  const loaded = () => backends.residency.loaded()
  series.show({ name: 'svc_models_loaded', help: 'Models in memory.', read: () => loaded().length })
  series.show({
    name: 'svc_backend_calls_running',
    help: 'Calls of loaded models that run now.',
    read: () => loaded().reduce((sum, { inFlight }) => sum + inFlight, 0),
  })
  series.show({
    name: 'svc_traces_lost_total',
    help: 'Traces whose bodies, or that as a whole, could not be stored.',
    grows: true,
    read: () => traces.lost,
  })
  if (spans.isAsked)
    series.show({
      name: 'svc_spans_lost_total',
      help: 'Spans that did not reach their receiver.',
      grows: true,
      read: () => spans.lost,
    })
}
