import { checkArgument } from '@svc/errors'
import type { RuleSettings, SelectSettings, StickySettings } from './signals/settings.ts'

/** The way labels of a prompt are found (§2.12). */
export type ClassifierName = 'score' | 'colbert' | 'knn' | 'decisions'

/** All classifiers. */
export const CLASSIFIER_NAMES: readonly ClassifierName[] = ['score', 'colbert', 'knn', 'decisions']

/** A label and its meaning. */
export interface RouterPolicy {
  readonly label: string
  /** Goes word for word into the prompt of the classifier. */
  readonly description: string
}

/** A model and the labels that it covers. */
export interface RouterCandidate {
  readonly model: string
  readonly labels: readonly string[]
}

/** The cache of decisions by similarity. */
export interface EmbeddingCacheSettings {
  readonly embeddingModel: string
  /** The least cosine at which a cached decision serves. @default 0.80 */
  readonly similarityThreshold?: number | undefined
  /** The least score with which a decision is kept; may exceed 1 for `colbert`. @default 0.60 */
  readonly confidenceThreshold?: number | undefined
  /** @default `router-cache-<router>` */
  readonly storeName?: string | undefined
}

/** Settings of the vote of neighbours. */
export interface KnnSettings {
  readonly embeddingModel: string
  /** Changes the fingerprint of the corpus when the model behind a name changes. */
  readonly embeddingRevision?: string | undefined
  /** Number of neighbours, at most 1024; 0 is the default. @default 3 */
  readonly k?: number | undefined
  /** Neighbours below this cosine do not vote. @default 0.80 */
  readonly similarityThreshold?: number | undefined
  /** The least share of the votes that makes a label active. @default 0.5 */
  readonly voteThreshold?: number | undefined
  /** @default `router-corpus-<router>` */
  readonly storeName?: string | undefined
}

/** The `router` block of a model file (§2.12) in our own words. */
export interface RouterSettings {
  /** `none` asks no model: rules and `select` decide. @default 'score' */
  readonly classifier?: string | undefined
  readonly classifierModel?: string | undefined
  /** Decisions kept by prompt; 0 is the default. @default 1024 */
  readonly classifierCacheSize?: number | undefined
  /** `raw` compares sums of log-probabilities, `mean` divides them by the number of tokens. @default 'mean' */
  readonly scoreNormalization?: 'raw' | 'mean' | undefined
  /** 0 is the default; may exceed 1 for `colbert`. @default 0.15 for `score`, 0.5 for `colbert` and `decisions` */
  readonly activationThreshold?: number | undefined
  readonly policies: readonly RouterPolicy[]
  /** From the smallest to the largest: the first that covers the labels serves. */
  readonly candidates: readonly RouterCandidate[]
  /** Serves where no candidate does; empty for none. */
  readonly fallback?: string | undefined
  readonly embeddingCache?: EmbeddingCacheSettings | undefined
  readonly knn?: KnnSettings | undefined
  /** In their order; `createSignals` of `@svc/router/signals` evaluates them. @default none */
  readonly rules?: readonly RuleSettings[] | undefined
  /** Conversations stay on their model. @default each request is decided anew */
  readonly sticky?: StickySettings | undefined
  /** Chooses among the candidates that fit. @default the first that covers the labels serves */
  readonly select?: SelectSettings | undefined
}

/** Decisions kept by prompt where the settings say 0 or nothing. */
export const DEFAULT_CACHE_SIZE = 1024
/** The most neighbours that vote. */
export const MAX_NEIGHBORS = 1024
/** The most policies of a router. */
export const MAX_POLICIES = 256
/** The most policies of a router that asks a decision model. */
export const MAX_DECISIONS = 64

const DEFAULT_NEIGHBORS = 3
const DEFAULT_SIMILARITY = 0.8
const DEFAULT_CONFIDENCE = 0.6
const DEFAULT_VOTE = 0.5

/** The classifier that settings name; undefined for an unknown word. */
export function readClassifierName({ classifier }: RouterSettings): ClassifierName | undefined {
  return CLASSIFIER_NAMES.find((name) => name === (classifier || 'score'))
}

/** Whether a router asks no classifier, because its rules and `select` decide. */
export function isWithoutClassifier({ classifier }: RouterSettings): boolean {
  return classifier === 'none'
}

/** Whether a router decides by more than its classifier. */
export function usesSignals({ rules, sticky, select }: RouterSettings): boolean {
  return (rules !== undefined && rules.length !== 0) || sticky !== undefined || select !== undefined
}

/** The threshold from which on a label is active. */
export function resolveActivationThreshold(settings: RouterSettings): number {
  if (readClassifierName(settings) === 'knn') return resolveKnn(settings.knn).voteThreshold
  const { activationThreshold = 0 } = settings
  if (activationThreshold > 0) return activationThreshold
  return readClassifierName(settings) === 'score' ? 0.15 : 0.5
}

/** Settings of the vote of neighbours with the defaults filled in. */
export interface ResolvedKnn {
  readonly k: number
  readonly similarityThreshold: number
  readonly voteThreshold: number
}

/** {@link KnnSettings} with the defaults filled in. */
export function resolveKnn(knn: Partial<KnnSettings> = {}): ResolvedKnn {
  return {
    k: knn.k || DEFAULT_NEIGHBORS,
    similarityThreshold: knn.similarityThreshold ?? DEFAULT_SIMILARITY,
    voteThreshold: knn.voteThreshold || DEFAULT_VOTE,
  }
}

/** {@link EmbeddingCacheSettings} with the defaults filled in. */
export function resolveEmbeddingCache(cache: EmbeddingCacheSettings): {
  readonly similarityThreshold: number
  readonly confidenceThreshold: number
} {
  return {
    similarityThreshold: cache.similarityThreshold || DEFAULT_SIMILARITY,
    confidenceThreshold: cache.confidenceThreshold || DEFAULT_CONFIDENCE,
  }
}

/** The name of the collection of a router's cached decisions. */
export function resolveCacheName(router: string, settings: RouterSettings): string {
  return settings.embeddingCache?.storeName || `router-cache-${router}`
}

/** The name of the store of a router's corpus. */
export function resolveCorpusName(router: string, settings: RouterSettings): string {
  checkSettings(settings, 'resolveCorpusName: settings')
  return settings.knn?.storeName || `router-corpus-${router}`
}

/** Settings of a router with the defaults filled in. */
export interface ResolvedRouterSettings {
  /** Undefined for an unknown word. */
  readonly classifier: ClassifierName | undefined
  /** Undefined for `knn`, whose threshold is that of the votes. */
  readonly activationThreshold: number | undefined
  readonly embeddingCache:
    | {
        readonly embeddingModel: string
        readonly similarityThreshold: number
        readonly confidenceThreshold: number
        readonly storeName: string
      }
    | undefined
  readonly knn: (ResolvedKnn & { readonly embeddingModel: string; readonly storeName: string }) | undefined
}

/** Fills in the defaults of a router's settings. @param router names the stores that the settings do not name */
export function resolveRouterSettings(router: string, settings: RouterSettings): ResolvedRouterSettings {
  checkSettings(settings, 'resolveRouterSettings: settings')
  const { embeddingCache, knn } = settings
  const classifier = readClassifierName(settings)
  return {
    classifier,
    activationThreshold: classifier === 'knn' ? undefined : resolveActivationThreshold(settings),
    embeddingCache: embeddingCache && {
      embeddingModel: embeddingCache.embeddingModel,
      ...resolveEmbeddingCache(embeddingCache),
      storeName: resolveCacheName(router, settings),
    },
    knn: knn && {
      embeddingModel: knn.embeddingModel,
      ...resolveKnn(knn),
      storeName: resolveCorpusName(router, settings),
    },
  }
}

/**
 * Checks the types of settings that did not come from the block of a model file.
 *
 * @param name function and argument, for the message
 * @throws {SvcError} `invalid_argument`
 */
export function checkSettings(settings: RouterSettings, name: string): void {
  checkArgument(isObject(settings), name, 'RouterSettings', settings)
  const { policies, candidates, fallback, classifierModel, knn, embeddingCache } = settings
  const arePolicies =
    Array.isArray(policies) && policies.every((each) => isText(each?.label) && isText(each.description))
  checkArgument(arePolicies, `${name}.policies`, 'a list of labels with descriptions', policies)
  const areCandidates =
    Array.isArray(candidates) && candidates.every((each) => isText(each?.model) && isTextList(each.labels))
  checkArgument(areCandidates, `${name}.candidates`, 'a list of models with labels', candidates)
  for (const [key, value] of Object.entries({ fallback, classifierModel })) {
    checkArgument(value === undefined || isText(value), `${name}.${key}`, 'a text', value)
  }
  for (const [key, block] of Object.entries({ knn, embeddingCache })) {
    const isBlock = block === undefined || (isObject(block) && isText(block.embeddingModel))
    checkArgument(isBlock, `${name}.${key}`, 'an object with an embeddingModel', block)
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}
