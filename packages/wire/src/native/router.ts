import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

const counts = z.record(z.string(), z.int().min(0))

/** Counts of an embedding cache since its router was built. */
const cacheStats = z.looseObject({
  hits: z.int().min(0),
  misses: z.int().min(0),
  /** Misses with an entry near the prompt, but not near enough. */
  near_misses: z.int().min(0),
  /** Decisions that were too uncertain to be kept. */
  low_confidence: z.int().min(0),
  embedder_errors: z.int().min(0),
  store_errors: z.int().min(0),
  /** Number of lookups by similarity of the nearest entry, in tenths from 0 to 1. */
  similarity_buckets: z.array(z.int().min(0)),
  entries: z.int().min(0),
})

const routerModel = z.looseObject({
  name: z.string(),
  classifier: z.string(),
  classifier_model: z.string().exactOptional(),
  /** Set but for `knn`. */
  activation_threshold: z.number().exactOptional(),
  policies: z.array(z.looseObject({ label: z.string(), description: z.string() })),
  candidates: z.array(z.looseObject({ model: z.string(), labels: z.array(z.string()) })),
  fallback: z.string(),
  /** The names of its rules, in their order; absent without rules. */
  rules: z.array(z.string()).exactOptional(),
  embedding_cache: z
    .looseObject({
      embedding_model: z.string(),
      similarity_threshold: z.number(),
      confidence_threshold: z.number(),
      store_name: z.string(),
      /** Absent where the cache is not used. */
      stats: cacheStats.exactOptional(),
    })
    .exactOptional(),
  knn: z
    .looseObject({
      embedding_model: z.string(),
      k: z.int(),
      similarity_threshold: z.number(),
      vote_threshold: z.number(),
      store_name: z.string(),
      /** Absent where the corpus cannot be read. */
      corpus: z.looseObject({ total: z.int().min(0), label_counts: counts }).exactOptional(),
    })
    .exactOptional(),
  /** Mistakes in the block, and the reason why it has no classifier. */
  problems: z.array(z.string()),
})

/** Reply of `GET /api/router/status`. */
export const routerStatus = z.looseObject({
  /** Whether there is a router. */
  configured: z.boolean(),
  models: z.array(routerModel),
  recent_decision_count: z.int().min(0),
  available_classifiers: z.array(z.string()),
})

const labelScore = z.looseObject({ label: z.string(), score: z.number() })
const neighbor = z.looseObject({
  /** Distinguishes its text from other texts without holding it. */
  id: z.string().exactOptional(),
  similarity: z.number(),
  labels: z.array(z.string()).exactOptional(),
})
const reason = z.enum([
  'covered',
  'rule',
  'sticky',
  'selected',
  'no-label',
  'not-covered',
  'classifier-failed',
  'no-classifier',
])

/** A rule that fired. It has one of `use`, `only` and `skip_classifier`. */
const firedRule = z.looseObject({
  name: z.string(),
  at: z.enum(['before', 'after']),
  use: z.string().exactOptional(),
  only: z.array(z.string()).exactOptional(),
  skip_classifier: z.literal(true).exactOptional(),
  /** The signals by which its condition held, with their values; never a text of the prompt. */
  signals: z.array(z.looseObject({ signal: z.string(), value: z.string() })),
})

/** The choice among the candidates that fit. */
const selection = z.looseObject({
  by: z.enum(['fitting', 'cheapest', 'fastest']),
  /** Candidates that fit. */
  fitting: z.int().min(0),
  /** Expected cost in millionths of the currency of the price list; absent where it is unknown. */
  cost: z.number().exactOptional(),
  /** Expected milliseconds until the answer is whole; absent where nothing was measured. */
  duration_ms: z.number().exactOptional(),
  /** Set where the model was chosen to measure it. */
  explores: z.literal(true).exactOptional(),
})

const routerDecision = z.looseObject({
  /** `rd_` and 24 hex digits. */
  id: z.string(),
  correlation_id: z.string(),
  user_id: z.string(),
  router_model: z.string(),
  /** The router, or an alias of it. */
  requested_model: z.string(),
  served_model: z.string(),
  /** `fallback` where no classifier could be built, `none` where none was asked. */
  classifier: z.string(),
  /** The active labels, joined by commas; `fallback` where the fallback serves. */
  label: z.string(),
  score: z.number(),
  /** Lead of the top label over the runner-up. */
  gap: z.number().exactOptional(),
  reason,
  latency_ms: z.number(),
  cached: z.boolean(),
  cache_similarity: z.number().exactOptional(),
  nearest_similarity: z.number().exactOptional(),
  label_scores: z.array(labelScore).exactOptional(),
  activation_threshold: z.number().exactOptional(),
  neighbors: z.array(neighbor).exactOptional(),
  /** The rules that fired, in their order. */
  rules: z.array(firedRule).exactOptional(),
  selection: selection.exactOptional(),
  /** The wire format of the request. */
  source: z.string(),
  created_at: z.iso.datetime(),
})

/** Reply of `GET /api/router/decisions`, the newest first. */
export const routerDecisionList = z.looseObject({ decisions: z.array(routerDecision) })

/** Body of `POST /api/router/decide`. */
export const routerDecideRequest = z.looseObject({
  router: z.string().nullish(),
  input: z.string().nullish(),
  /** What a request would say beside its text. Facts that are left out are unknown. */
  facts: z
    .looseObject({
      has_images: z.boolean().nullish(),
      has_audio: z.boolean().nullish(),
      has_tools: z.boolean().nullish(),
      prompt_tokens: z.int().min(0).nullish(),
      tags: endAtFirstFault(z.record(z.string(), z.string())).nullish(),
      groups: endAtFirstFault(z.array(z.string())).nullish(),
      remaining_budget: z.number().min(0).max(1).nullish(),
      conversation: z.string().nullish(),
    })
    .nullish(),
})

/** Reply of `POST /api/router/decide`: the decision for a text, without a request. */
export const routerDecideReply = z.looseObject({
  router: z.string(),
  classifier: z.string(),
  labels: z.array(z.string()),
  /** The model that would serve. */
  candidate: z.string(),
  /** Set where that model is the fallback. */
  fallback: z.literal(true).exactOptional(),
  reason,
  score: z.number(),
  gap: z.number().exactOptional(),
  label_scores: z.array(labelScore).exactOptional(),
  activation_threshold: z.number().exactOptional(),
  latency_ms: z.number(),
  cached: z.boolean(),
  cache_similarity: z.number().exactOptional(),
  nearest_similarity: z.number().exactOptional(),
  neighbors: z.array(neighbor).exactOptional(),
  /** The rules that fired, in their order. */
  rules: z.array(firedRule).exactOptional(),
  selection: selection.exactOptional(),
})

/** Reply of `GET /api/router/cache/stats`: the routers with an embedding cache, by name. */
export const routerCacheStats = z.looseObject({ caches: z.record(z.string(), cacheStats) })

/** Body of `POST /api/router/:name/corpus`. */
export const routerCorpusRequest = z.looseObject({
  entries: endAtFirstFault(
    z.array(z.looseObject({ text: z.string(), labels: endAtFirstFault(z.array(z.string())) })),
  ).nullish(),
})

/** Reply of `POST /api/router/:name/corpus`. */
export const routerCorpusAdded = z.looseObject({
  router: z.string(),
  added: z.int().min(0),
  /** Texts that were there before, or earlier in the request. */
  skipped: z.int().min(0),
  total: z.int().min(0),
  label_counts: counts,
})

/** Reply of `GET /api/router/:name/corpus/stats`. Holds no text. */
export const routerCorpusStats = z.looseObject({
  router: z.string(),
  store_name: z.string(),
  embedding_model: z.string(),
  total: z.int().min(0),
  label_counts: counts,
  /** The models that made the vectors. */
  embedding_models: z.array(z.string()),
  /** The first lines of the file that do not serve. */
  problems: z.array(z.looseObject({ line: z.int(), problem: z.string() })),
  problem_count: z.int().min(0),
})

/** Reply of `DELETE /api/router/:name/corpus`. */
export const routerCorpusCleared = z.looseObject({
  router: z.string(),
  /** Entries that were there. */
  cleared: z.int().min(0),
})

/** Reply of `GET /api/router/status`. */
export type RouterStatus = z.infer<typeof routerStatus>
/** Reply of `GET /api/router/decisions`. */
export type RouterDecisionList = z.infer<typeof routerDecisionList>
/** Reply of `POST /api/router/decide`. */
export type RouterDecideReply = z.infer<typeof routerDecideReply>
/** Body of `POST /api/router/decide`. */
export type RouterDecideRequest = z.infer<typeof routerDecideRequest>
