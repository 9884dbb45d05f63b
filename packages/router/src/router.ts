import { checkArgument, SvcError } from '@svc/errors'
import type { EmbeddingCacheStats } from './cache/embedding-cache.ts'
import type { Classification, Classifier } from './classifiers/classification.ts'
import { systemClock } from './clock.ts'
import { type BuiltClassifier, buildClassifier, type RouterModels } from './create-classifier.ts'
import { type Choice, type DecisionReason, describeDecision, type RouterDecision } from './decision.ts'
import { depthError, missingModelError, noFallbackError } from './errors.ts'
import type { CallOptions, Clock, Logger, ModelDirectory, OptionalSignal } from './ports.ts'
import { createProbe, type Probe } from './probe/probe.ts'
import { selectCandidate } from './select-candidate.ts'
import {
  type ClassifierName,
  checkSettings,
  isWithoutClassifier,
  type RouterSettings,
  usesSignals,
} from './settings.ts'
import type { RequestFacts } from './signals/facts.ts'
import type { Signals } from './signals/ports.ts'
import { type RouterProblem, validateRouterSettings } from './validate-settings.ts'
import { waitWithLimit } from './wait.ts'

/** Options of {@link createRouter}. */
export interface RouterOptions extends RouterModels {
  /** The model that clients ask for. */
  readonly name: string
  readonly settings: RouterSettings
  /** Rules, sticky conversations and selection: `createSignals` of `@svc/router/signals`, on the same settings. */
  readonly signals?: Signals | undefined
  /** @default every name is an existing model */
  readonly directory?: ModelDirectory | undefined
  /** Longest time of a classification, milliseconds. @default 10,000 */
  readonly timeoutMs?: number | undefined
  /** Longest time of embedder and index of the embedding cache, each, milliseconds. @default 2,000 */
  readonly cacheTimeoutMs?: number | undefined
  /** Decisions that the embedding cache keeps. @default 10,000 */
  readonly maxCacheEntries?: number | undefined
  readonly clock?: Clock | undefined
  readonly logger?: Logger | undefined
}

/** Picks a model for each prompt. */
export interface Router {
  readonly name: string
  readonly settings: RouterSettings
  /** Mistakes in the settings. Where one stops the classifier, the fallback serves every prompt. */
  readonly problems: readonly RouterProblem[]
  /** Undefined where none could be built. */
  readonly classifier: ClassifierName | undefined
  /**
   * The model that serves a prompt.
   *
   * @param prompt a text, or the probe that `extractProbe` found in a request
   * @param options.facts what the text does not say, for signals. @default nothing is known
   * @param options.isTrial leaves no trace in sticky conversations and in measurements. @default false
   * @throws `router_no_fallback`, `router_depth`, `router_model_missing`; the signal's reason once it is aborted
   */
  decide(
    prompt: string | Probe,
    options?: OptionalSignal & { readonly facts?: RequestFacts | undefined; readonly isTrial?: boolean | undefined },
  ): Promise<RouterDecision>
  /** Undefined for a router without embedding cache. */
  readCacheStats(): EmbeddingCacheStats | undefined
}

const NO_FACTS: RequestFacts = {}
const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_CACHE_TIMEOUT_MS = 2_000
const DEFAULT_MAX_CACHE_ENTRIES = 10_000
/** The longest time of a timer. */
const MAX_LIMIT = 2 ** 31 - 1

/**
 * A router. Mistakes in the settings do not throw: the router lists them and serves by its fallback.
 *
 * @example
 * const router = createRouter({ name: 'auto', settings, scorer })
 * const { servedModel } = await router.decide('What is 3 times 4?', { signal })
 */
export function createRouter(options: RouterOptions): Router {
  const { name, settings, clock = systemClock, timeoutMs = DEFAULT_TIMEOUT_MS, directory, logger } = options ?? {}
  checkArgument(typeof name === 'string' && name !== '', 'createRouter: name', 'a text', name)
  checkSettings(settings, 'createRouter: settings')
  const { problems, usable, signals } = prepare(options, { clock, timeoutMs })
  const classifier = usable?.classifier

  /** The model, once it is known that a router may pick it. */
  const admit = (role: 'candidate' | 'fallback', model: string): string => {
    const kind = directory?.find(model) ?? 'model'
    if (kind === 'router') throw depthError(role, model)
    if (kind === 'missing') throw missingModelError(role, model)
    return model
  }

  const fallBack = (reason: DecisionReason, because: string, cause?: unknown): Choice => {
    const model = settings.fallback?.trim() ?? ''
    if (model === '') throw noFallbackError(because, cause)
    return { servedModel: admit('fallback', model), usedFallback: true, reason, label: 'fallback' }
  }

  const tryToClassify = async (
    probe: Probe,
    by: Classifier,
    { signal, caller }: CallOptions,
  ): Promise<{ readonly found?: Classification; readonly error?: unknown }> => {
    try {
      const trimmed = await trim(probe, by, { signal, caller, timeoutMs, clock })
      return { found: await by.classify(trimmed, { signal, caller }) }
    } catch (error) {
      if (signal.aborted) throw signal.reason
      logger?.warn(
        { router: name, classifier: by.name, code: SvcError.is(error) ? error.code : undefined },
        'a classifier failed',
      )
      return { error }
    }
  }

  const choose = ({ labels }: Classification): Choice => {
    const candidate = selectCandidate(settings.candidates, labels)
    if (candidate === undefined) {
      if (labels.length === 0) return fallBack('no-label', 'no label is active')
      return fallBack('not-covered', `no candidate covers labels: ${labels.join(', ')}`)
    }
    const servedModel = admit('candidate', candidate.model)
    return { servedModel, usedFallback: false, reason: 'covered', label: labels.join(',') }
  }

  return {
    name,
    settings,
    problems,
    classifier: classifier?.name,
    readCacheStats: () => usable?.readCacheStats?.(),
    async decide(prompt, { signal = new AbortController().signal, caller, facts = NO_FACTS, isTrial = false } = {}) {
      const isPrompt = typeof prompt === 'string' || (Array.isArray(prompt?.turns) && typeof prompt.text === 'string')
      checkArgument(isPrompt, 'decide: prompt', 'a text or a Probe', prompt)
      signal.throwIfAborted()
      const begun = clock.monotonic()
      const describe = (choice: Choice, found?: Classification) =>
        describeDecision(choice, {
          classifier: classifier?.name ?? 'fallback',
          found,
          latencyMs: clock.monotonic() - begun,
        })
      const probe = typeof prompt === 'string' ? createProbe([prompt]) : prompt
      if (signals !== undefined) {
        const classify = async () =>
          classifier === undefined ? {} : await tryToClassify(probe, classifier, { signal, caller })
        const { choice, ...explained } = await signals.choose({ probe, facts, isTrial }, { classify, admit, fallBack })
        const by = explained.isClassified ? (classifier?.name ?? 'fallback') : 'none'
        return describeDecision(choice, { ...explained, classifier: by, latencyMs: clock.monotonic() - begun })
      }
      if (classifier === undefined) return describe(fallBack('no-classifier', 'classifier unavailable'))
      const { found, error } = await tryToClassify(probe, classifier, { signal, caller })
      if (found === undefined) return describe(fallBack('classifier-failed', 'the classifier failed', error))
      return describe(choose(found), found)
    },
  }
}

/** The parts of a router, and the mistakes that leave some of them out. */
interface PreparedRouter {
  readonly problems: readonly RouterProblem[]
  readonly usable: BuiltClassifier | undefined
  /** Undefined where only the classifier decides, or where nothing but the fallback does. */
  readonly signals: Signals | undefined
}

function prepare(
  options: RouterOptions,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): PreparedRouter {
  const {
    name,
    settings,
    cacheTimeoutMs = DEFAULT_CACHE_TIMEOUT_MS,
    maxCacheEntries = DEFAULT_MAX_CACHE_ENTRIES,
  } = options
  for (const [key, limit] of Object.entries({ timeoutMs, cacheTimeoutMs, maxCacheEntries })) {
    const isLimit = typeof limit === 'number' && limit > 0 && limit <= MAX_LIMIT
    checkArgument(isLimit, `createRouter: ${key}`, `above 0 and at most ${MAX_LIMIT}`, limit)
  }
  const wrongSignals = checkSignals(settings, options.signals)
  const problems = [...validateRouterSettings(settings), ...wrongSignals]
  // A rule that is left out could send a prompt to the wrong model: with a mistake in one, only the fallback serves.
  const signals = wrongSignals.length === 0 && usesSignals(settings) ? options.signals : undefined
  const isStopped = problems.some(({ stopsClassifier }) => stopsClassifier)
  if (isStopped || isWithoutClassifier(settings)) return { problems, usable: undefined, signals }
  const canCache = !problems.some(({ path }) => path[0] === 'embedding_cache')
  const limits = { clock, timeoutMs, cacheTimeoutMs, maxCacheEntries, canCache }
  const built = buildClassifier({ router: name, settings, models: options, ...limits })
  if ('message' in built) return { problems: [...problems, built], usable: undefined, signals }
  return { problems, usable: built, signals }
}

/** The mistakes of rules, and of a router whose rules nobody evaluates. */
function checkSignals(settings: RouterSettings, signals: Signals | undefined): readonly RouterProblem[] {
  if (signals !== undefined) return signals.problems
  if (!usesSignals(settings)) return []
  const key = settings.rules === undefined ? (settings.sticky === undefined ? 'select' : 'sticky') : 'rules'
  return [{ path: [key], message: 'needs the signals of @svc/router/signals', stopsClassifier: true }]
}

/** Cuts a probe to what the classifier reads; only by its length where the tokenizer takes too long. */
async function trim(
  probe: Probe,
  { trimmer, prepare }: Classifier,
  limits: CallOptions & { readonly timeoutMs: number; readonly clock: Clock },
): Promise<Probe> {
  if (trimmer === undefined || !trimmer.isNeeded(probe)) return probe
  await prepare?.(limits)
  try {
    return await waitWithLimit((call) => trimmer.trim(probe, call), { ...limits, what: 'the tokenizer' })
  } catch (error) {
    if (limits.signal.aborted) throw error
    return trimmer.cutRoughly(probe)
  }
}
