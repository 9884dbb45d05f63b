import { type CachedClassifier, createEmbeddingCache, type EmbeddingCacheStats } from './cache/embedding-cache.ts'
import { createMemo } from './cache/memo.ts'
import type { CallLimit } from './call-limit.ts'
import type { Classifier } from './classifiers/classification.ts'
import { createColbertClassifier } from './classifiers/colbert.ts'
import { createDecisionClassifier } from './classifiers/decisions.ts'
import { createKnnClassifier, type NeighborSource } from './classifiers/knn.ts'
import { createScoreClassifier } from './classifiers/score.ts'
import { waitFor } from './corpus/lock.ts'
import type { Clock, DecisionModel, Embedder, Reranker, Scorer } from './ports.ts'
import {
  DEFAULT_CACHE_SIZE,
  type RouterSettings,
  readClassifierName,
  resolveActivationThreshold,
  resolveCacheName,
  resolveEmbeddingCache,
  resolveKnn,
} from './settings.ts'
import type { RouterProblem } from './validate-settings.ts'
import type { VectorIndex } from './vector/ports.ts'
import { createVectorIndex } from './vector/vector-index.ts'
import { waitWithLimit } from './wait.ts'

/** The models and stores behind a router. Only the ones that its settings need are required. */
export interface RouterModels {
  /** The classifier model of `score`. */
  readonly scorer?: Scorer | undefined
  /** The classifier model of `colbert`. */
  readonly reranker?: Reranker | undefined
  /** The classifier model of `decisions`. */
  readonly decisionModel?: DecisionModel | undefined
  /** Shared by all routers whose decision requests count together. @default 8 at a time for this router */
  readonly decisionLimit?: CallLimit | undefined
  /** The embedding model of `knn`. */
  readonly embedder?: Embedder | undefined
  /** The labelled texts of `knn`. */
  readonly corpus?: NeighborSource | undefined
  /** The embedding model of the embedding cache. */
  readonly cacheEmbedder?: Embedder | undefined
  /** The collection of the embedding cache. @default a collection in memory */
  readonly cacheIndex?: VectorIndex | undefined
  /** The system turn of `score`. @default a turn that names all policies */
  readonly systemTurn?: string | undefined
}

/** The parts of a classifier. */
export interface BuildOptions {
  readonly router: string
  readonly settings: RouterSettings
  readonly models: RouterModels
  readonly clock: Clock
  readonly timeoutMs: number
  readonly cacheTimeoutMs: number
  readonly maxCacheEntries: number
  /** Whether the settings of the embedding cache are without mistakes. */
  readonly canCache: boolean
}

/** A classifier with its caches. */
export interface BuiltClassifier {
  readonly classifier: Classifier
  readonly readCacheStats: (() => EmbeddingCacheStats) | undefined
}

/** Builds the classifier that the settings name, or gives the reason why it cannot. */
export function buildClassifier(options: BuildOptions): BuiltClassifier | RouterProblem {
  const { settings, clock, timeoutMs } = options
  const bare = createBareClassifier(options)
  if ('message' in bare) return bare
  const { prepare } = bare
  const limited: Classifier = {
    ...bare,
    // A model that does not listen to its signal is not waited for.
    prepare: prepare && ((outer) => waitFor(prepare(outer), outer.signal)),
    async classify(probe, outer) {
      await limited.prepare?.(outer)
      return await waitWithLimit((call) => bare.classify(probe, call), {
        ...outer,
        timeoutMs,
        clock,
        what: 'the classifier',
      })
    },
  }
  const cached = addEmbeddingCache(limited, options)
  const size = settings.classifierCacheSize || DEFAULT_CACHE_SIZE
  return { classifier: createMemo(cached, { size }), readCacheStats: cached.readStats }
}

function createBareClassifier({ settings, models }: BuildOptions): Classifier | RouterProblem {
  const { policies } = settings
  const threshold = resolveActivationThreshold(settings)
  const { scorer, reranker, decisionModel, embedder, corpus } = models
  switch (readClassifierName(settings)) {
    case 'score':
      if (scorer === undefined) return missing(['classifier_model'], 'is not there, or cannot score')
      return createScoreClassifier({
        scorer,
        policies,
        threshold,
        normalization: settings.scoreNormalization,
        systemTurn: models.systemTurn,
      })
    case 'colbert':
      if (reranker === undefined) return missing(['classifier_model'], 'is not there, or cannot rank')
      return createColbertClassifier({ reranker, policies, threshold })
    case 'decisions':
      if (decisionModel === undefined) return missing(['classifier_model'], 'is not there, or cannot decide')
      return createDecisionClassifier({ model: decisionModel, policies, threshold, limit: models.decisionLimit })
    case 'knn':
      if (embedder === undefined) return missing(['knn', 'embedding_model'], 'is not there, or cannot embed')
      if (corpus === undefined) return missing(['knn'], 'has no corpus that can be used')
      return createKnnClassifier({ embedder, source: corpus, policies, ...resolveKnn(settings.knn) })
    case undefined:
      return missing(['classifier'], 'is none of those that there are')
  }
}

function missing(path: RouterProblem['path'], message: string): RouterProblem {
  return { path, message, stopsClassifier: true }
}

function addEmbeddingCache(classifier: Classifier, options: BuildOptions): Classifier & Partial<CachedClassifier> {
  const { router, settings, models, clock, cacheTimeoutMs, maxCacheEntries } = options
  const { embeddingCache } = settings
  const { cacheEmbedder } = models
  if (!options.canCache || embeddingCache === undefined || cacheEmbedder === undefined) return classifier
  return createEmbeddingCache(classifier, {
    embedder: cacheEmbedder,
    // One place more: the newest entry comes before the oldest goes.
    index: models.cacheIndex ?? createVectorIndex({ maxEntries: maxCacheEntries + 1 }),
    ...resolveEmbeddingCache(embeddingCache),
    owner: resolveCacheName(router, settings),
    labels: new Set(settings.policies.map(({ label }) => label)),
    maxEntries: maxCacheEntries,
    timeoutMs: cacheTimeoutMs,
    clock,
  })
}
