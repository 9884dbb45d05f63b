import type { Operation } from '../operations/operation.ts'
import type { MediaFigures } from './media-figures.ts'
import { PlainSeries } from './plain-histogram.ts'

/** The end of an inference request: `refused` for 4xx, `failed` for 5xx and for replies that break off. */
export type RequestOutcome = 'completed' | 'refused' | 'failed' | 'left'
/** The limit that a request ran into. */
export type LimitName = 'global' | 'model' | 'quota' | 'limit' | 'budget'
/** The way in which somebody signs in. */
export type SignInMethod = 'password' | 'key' | 'codehost' | 'oidc'
/** The end of a sign-in: `refused` for what the caller gave, `failed` for a fault of the server or a provider. */
export type SignInOutcome = 'succeeded' | 'refused' | 'failed'
/** Why a model left memory: for another one, or stopped by the watchdog. */
export type DepartureReason = 'eviction' | 'idle' | 'busy' | 'memory'

/** Upper bounds in seconds, from a discovery read to a long generation. */
export const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Durations of calls by route pattern and method: as many series as there are rows. */
export class CallSeries {
  readonly #series = new Map<string, Map<string, PlainSeries>>()

  /** Counts a call. */
  add(method: string, path: string, seconds: number): void {
    this.find(method, path).observe(seconds)
  }

  /** The series of a method and route, which exists from now on. */
  find(method: string, path: string): PlainSeries {
    const known = this.#series.get(path)?.get(method)
    if (known !== undefined) return known
    const made = new PlainSeries(CALL_BUCKETS)
    const byMethod = this.#series.get(path) ?? new Map<string, PlainSeries>()
    this.#series.set(path, byMethod.set(method, made))
    return made
  }

  /** Every series with its labels. */
  all(): { readonly method: string; readonly path: string; readonly series: PlainSeries }[] {
    return [...this.#series].flatMap(([path, byMethod]) =>
      [...byMethod].map(([method, series]) => ({ method, path, series })),
    )
  }
}

/** Limits in seconds, from a cached token to a load before the first answer. */
const FIRST_TOKEN_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** Limits in seconds, from a small file to the largest weights. */
const LOAD_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/** Limits in seconds, from a tick of speech detection to a slow first word. */
const STAGE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Stages of spoken conversations. */
export const REALTIME_STAGES = [
  ...(['speech_detection', 'transcription', 'language_model', 'speech', 'conversation'] as const),
  ...(['sound_detection', 'voice_recognition', 'classifier', 'summary'] as const),
] as const

/** Name of a stage of spoken conversations. */
export type RealtimeStage = (typeof REALTIME_STAGES)[number]

/** Models with a label of their own; the others share one (threats MET-1). */
const MAX_MODELS = 200
const OTHER = 'other'

/** Gives models their label: the name of the first ones, one word for all others. Names come from model files. */
class ModelLabels {
  readonly #known = new Set<string>()

  find(model: string): string {
    if (this.#known.has(model)) return model
    if (this.#known.size >= MAX_MODELS) return OTHER
    this.#known.add(model)
    return model
  }
}

/** Numbers that only grow, by their labels. */
export class Counts {
  readonly #values = new Map<string, { readonly labels: readonly string[]; value: number }>()

  add(labels: readonly string[], value = 1): void {
    const key = labels.join('\0')
    const found = this.#values.get(key)
    if (found === undefined) this.#values.set(key, { labels, value })
    else found.value += value
  }

  all(): Iterable<{ readonly labels: readonly string[]; readonly value: number }> {
    return this.#values.values()
  }
}

/** Durations by the value of a label. */
export class LabelledDurations {
  readonly buckets: readonly number[]
  readonly #series = new Map<string, PlainSeries>()

  /** @param known values whose series exist from the start */
  constructor(buckets: readonly number[], known: readonly string[] = []) {
    this.buckets = buckets
    for (const value of known) this.#series.set(value, new PlainSeries(buckets))
  }

  observe(value: string, seconds: number): void {
    const found = this.#series.get(value) ?? new PlainSeries(this.buckets)
    this.#series.set(value, found)
    found.observe(seconds)
  }

  all(): Iterable<readonly [value: string, series: PlainSeries]> {
    return this.#series
  }
}

/** A figure that is read at each scrape. */
export interface LiveFigure {
  readonly name: string
  readonly help: string
  /** Whether it only grows. @default false */
  readonly grows?: boolean | undefined
  readonly read: () => number
}

/** A number with the values of its labels, in the order of their names. */
export interface LabelledValue {
  readonly labels: readonly string[]
  readonly value: number
}

/** Figures with labels that are read at each scrape. Their labels come from closed sets. */
export interface LabelledFigure {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /** It does not throw: a scrape shows what there is. */
  readonly read: () => Promise<readonly LabelledValue[]>
}

/** The end of a request to a peer: `failed` where another one was asked or the client got an error. */
export type PeerOutcome = 'answered' | 'failed' | 'left'

/** The measures of the server's work, in plain numbers. */
export class ServerSeries {
  readonly requests = new Counts()
  readonly modelTokens = new Counts()
  readonly mediaSeconds = new Counts()
  readonly spokenCharacters = new Counts()
  readonly images = new Counts()
  readonly cacheOutcomes = new Counts()
  readonly costs = new Counts()
  readonly loads = new Counts()
  readonly departures = new Counts()
  readonly refusals = new Counts()
  readonly limitNotices = new Counts()
  readonly signIns = new Counts()
  readonly operations = new Counts()
  readonly peerRequests = new Counts()
  readonly firstTokens = new LabelledDurations(FIRST_TOKEN_BUCKETS)
  readonly loadSeconds = new LabelledDurations(LOAD_BUCKETS)
  /** Stages of spoken conversations, by their names. */
  readonly stageSeconds = new LabelledDurations(STAGE_BUCKETS, REALTIME_STAGES)
  /** From the end of speech to the first sound of the answer. */
  readonly firstSounds = new PlainSeries(STAGE_BUCKETS)
  readonly live: LiveFigure[] = []
  readonly labelled: LabelledFigure[] = []
  readonly #models = new ModelLabels()

  /** Counts an inference request. @param model the serving one; undefined when none was found */
  countRequest(model: string | undefined, outcome: RequestOutcome): void {
    this.requests.add([model === undefined ? '' : this.#models.find(model), outcome])
  }

  countTokens(model: string, { prompt, completion }: { readonly prompt: number; readonly completion: number }): void {
    const label = this.#models.find(model)
    if (prompt > 0) this.modelTokens.add([label, 'prompt'], prompt)
    if (completion > 0) this.modelTokens.add([label, 'completion'], completion)
  }

  countMedia(model: string, { seconds = 0, characters = 0, images = 0 }: MediaFigures = {}): void {
    const label = this.#models.find(model)
    if (seconds > 0) this.mediaSeconds.add([label], seconds)
    if (characters > 0) this.spokenCharacters.add([label], characters)
    if (images > 0) this.images.add([label], images)
  }

  /** Counts a request for a model that keeps replies. */
  countCached(model: string, outcome: 'hit' | 'miss' | 'skip'): void {
    this.cacheOutcomes.add([this.#models.find(model), outcome])
  }

  /** Counts a cost in whole millionths of a currency. Currencies come from the price list. */
  countCost(model: string, { currency, costMicros }: { readonly currency: string; readonly costMicros: number }): void {
    this.costs.add([this.#models.find(model), currency], costMicros)
  }

  observeStage(stage: RealtimeStage, seconds: number): void {
    this.stageSeconds.observe(stage, seconds)
  }

  /** Observes the time from the end of speech to the first sound of the answer. */
  observeFirstSound(seconds: number): void {
    this.firstSounds.observe(seconds)
  }

  observeFirstToken(model: string, seconds: number): void {
    this.firstTokens.observe(this.#models.find(model), seconds)
  }

  countLoad(model: string, { seconds, isFailed }: { readonly seconds: number; readonly isFailed: boolean }): void {
    const label = this.#models.find(model)
    this.loads.add([label, isFailed ? 'failed' : 'loaded'])
    if (!isFailed) this.loadSeconds.observe(label, seconds)
  }

  countDeparture(reason: DepartureReason): void {
    this.departures.add([reason])
  }

  countRefusal(limit: LimitName): void {
    this.refusals.add([limit])
  }

  /** Counts that a share of a limit is used. */
  countLimitNotice(percent: 80 | 100): void {
    this.limitNotices.add([String(percent)])
  }

  countSignIn(method: SignInMethod, outcome: SignInOutcome): void {
    this.signIns.add([method, outcome])
  }

  /** Counts a finished change of a model or a backend. */
  countOperation({ subject, action, state }: Pick<Operation, 'subject' | 'action' | 'state'>): void {
    this.operations.add([subject, action, state])
  }

  /** Counts a request that was sent to a peer. @param label a name of the configuration */
  countPeerRequest(label: string, outcome: PeerOutcome): void {
    this.peerRequests.add([label, outcome])
  }

  /** Adds a figure that is read at each scrape. Call it before the first one. */
  show(figure: LiveFigure): void {
    this.live.push(figure)
  }

  /** Adds figures with labels that are read at each scrape. Call it before the first one. */
  showLabelled(figures: readonly LabelledFigure[]): void {
    this.labelled.push(...figures)
  }
}
