import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type HistogramExport, type PlainSeries, toExport } from './plain-histogram.ts'
import type { Counts, LabelledDurations, ServerSeries } from './server-series.ts'

type ShowCounts = (name: string, help: string, labelNames: readonly string[], counts: Counts) => void

/** Creates the function that shows counts on a registry. */
function showCountsOn(registry: Registry): ShowCounts {
  return (name, help, labelNames, counts) => {
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, value } of counts.all()) this.inc(toLabels(labelNames, labels), value)
      },
    })
  }
}

/** Shows the figures of the server on a registry, which reads them at each scrape. */
export function registerServerSeries(registry: Registry, series: ServerSeries): void {
  const count = showCountsOn(registry)
  count(
    'svc_requests_total',
    'Inference requests by serving model and end: completed, refused (4xx), failed (5xx, or broken off), left.',
    ['model', 'outcome'],
    series.requests,
  )
  count('svc_model_tokens_total', 'Tokens of finished requests by model.', ['model', 'kind'], series.modelTokens)
  count(
    'svc_model_media_seconds_total',
    'Length of sound and film that finished requests have read or made, in seconds, by model.',
    ['model'],
    series.mediaSeconds,
  )
  count(
    'svc_model_spoken_characters_total',
    'Characters of text that became sound, by model.',
    ['model'],
    series.spokenCharacters,
  )
  count(
    'svc_cost_micros_total',
    'Cost of finished requests by model, in millionths of the currency; requests of unknown cost are left out.',
    ['model', 'currency'],
    series.costs,
  )
  count('svc_model_images_total', 'Images that were made, by model.', ['model'], series.images)
  count(
    'svc_response_cache_total',
    'Requests for models that keep replies, by model and outcome: hit, miss, skip.',
    ['model', 'outcome'],
    series.cacheOutcomes,
  )
  count('svc_model_loads_total', 'Loads of models by outcome: loaded, failed.', ['model', 'outcome'], series.loads)
  count(
    'svc_model_departures_total',
    'Models that left memory: for another one (eviction), or stopped as idle, as busy for too long, or for memory.',
    ['reason'],
    series.departures,
  )
  count(
    'svc_sign_ins_total',
    'Sign-ins by method (password, key, codehost, oidc) and end: succeeded, refused, failed.',
    ['method', 'outcome'],
    series.signIns,
  )
  count(
    'svc_operations_total',
    'Finished changes of models and backends by end: completed, failed, cancelled.',
    ['subject', 'action', 'outcome'],
    series.operations,
  )
  count(
    'svc_peer_requests_total',
    'Requests to peers by peer and end: answered, failed, left.',
    ['peer', 'outcome'],
    series.peerRequests,
  )
  new Durations(registry, series.firstTokens, {
    name: 'svc_time_to_first_token_seconds',
    help: 'Time from arrival to the first piece of a generated reply, in seconds.',
    label: 'model',
  })
  new Durations(registry, series.loadSeconds, {
    name: 'svc_model_load_seconds',
    help: 'Duration of loads of models, in seconds.',
    label: 'model',
  })
  new Durations(registry, series.stageSeconds, {
    name: 'svc_realtime_stage_seconds',
    help: 'Stages of spoken conversations, in seconds: up to the first piece where a stage streams, else whole.',
    label: 'stage',
  })
  new Durations(registry, series.firstSounds, {
    name: 'svc_realtime_first_audio_seconds',
    help: 'Time from the end of speech to the first sound of the answer, in seconds.',
  })
  registerLimits(series, count)
  registerFigures(registry, series)
}

/** Registers counts under a name. */
type RegisterCounts = (name: string, help: string, labelNames: readonly string[], counts: Counts) => void

/** Shows what ran into a limit. */
function registerLimits(series: ServerSeries, count: RegisterCounts): void {
  const limits = 'Requests refused at a limit: global, model, quota, limit, budget.'
  count('svc_limit_refusals_total', limits, ['limit'], series.refusals)
  const notices = 'Limits of which 80 or 100 percent were used, once in each window.'
  count('svc_limit_notices_total', notices, ['percent'], series.limitNotices)
}

/** Shows the figures that are read at each scrape. */
function registerFigures(registry: Registry, series: Pick<ServerSeries, 'labelled' | 'live'>): void {
  for (const { name, help, labelNames, read } of series.labelled) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const values = await read()
        this.reset()
        for (const { labels, value } of values) this.set(toLabels(labelNames, labels), value)
      },
    })
  }
  for (const { name, help, grows, read } of series.live) {
    const options = { name, help, registers: [registry] }
    if (grows === true) {
      new Counter({
        ...options,
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    } else {
      new Gauge({
        ...options,
        collect() {
          this.set(read())
        },
      })
    }
  }
}

function toLabels(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

interface DurationFacts {
  readonly name: string
  readonly help: string
  /** The label of each series. @default there is one series */
  readonly label?: string | undefined
}

/** A histogram of plain series. */
class Durations extends Histogram<string> {
  readonly #durations: LabelledDurations | PlainSeries
  readonly #facts: DurationFacts & { readonly buckets: number[] }

  constructor(registry: Registry, durations: LabelledDurations | PlainSeries, { label, ...facts }: DurationFacts) {
    const all = { ...facts, buckets: [...durations.buckets] }
    super({ ...all, labelNames: label === undefined ? [] : [label], registers: [registry] })
    this.#durations = durations
    this.#facts = { ...all, label }
  }

  /** Both export formats of the registry read this; it replaces the library's own counting. */
  async getForPromString(): Promise<HistogramExport> {
    const { name, label } = this.#facts
    const durations = this.#durations
    if (label === undefined || !('all' in durations)) {
      return toExport(this.#facts, 'values' in durations ? durations.values(name, {}) : [])
    }
    const values = [...durations.all()].flatMap(([value, each]) => each.values(name, { [label]: value }))
    return toExport(this.#facts, values)
  }
}
