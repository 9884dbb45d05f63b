import {
  type ClassifierName,
  type DecisionRecord,
  type EmbeddingCacheStats,
  type RouterDecision,
  resolveRouterSettings,
} from '@svc/router'
import type { FiredRule, RequestFacts, Selected } from '@svc/router/signals'
import type { RouterDecideReply, RouterDecideRequest, RouterDecisionList, RouterStatus } from '@svc/wire/native'
import type { RouterView } from '../../../routing/router-admin.ts'

const CLASSIFIERS: readonly ClassifierName[] = ['score', 'colbert', 'knn', 'decisions']

type WireRouter = RouterStatus['models'][number]
type WireDecision = RouterDecisionList['decisions'][number]
type WireCacheStats = NonNullable<NonNullable<WireRouter['embedding_cache']>['stats']>

/** The routers and how often they decided. */
export function toRouterStatus(routers: readonly RouterView[], decisions: number): RouterStatus {
  return {
    configured: routers.length > 0,
    models: routers.map(toWireRouter),
    recent_decision_count: decisions,
    available_classifiers: [...CLASSIFIERS],
  }
}

function toWireRouter({ name, settings, problems, cacheStats, corpus }: RouterView): WireRouter {
  const { policies, candidates, fallback = '', classifierModel, rules } = settings
  const { classifier, activationThreshold, embeddingCache, knn } = resolveRouterSettings(name, settings)
  return {
    name,
    classifier: classifier ?? settings.classifier ?? '',
    ...(classifierModel === undefined ? {} : { classifier_model: classifierModel }),
    ...(activationThreshold === undefined ? {} : { activation_threshold: activationThreshold }),
    policies: policies.map(({ label, description }) => ({ label, description })),
    candidates: candidates.map(({ model, labels }) => ({ model, labels: [...labels] })),
    fallback,
    ...toWireRuleNames(rules),
    ...(embeddingCache === undefined
      ? {}
      : {
          embedding_cache: {
            embedding_model: embeddingCache.embeddingModel,
            similarity_threshold: embeddingCache.similarityThreshold,
            confidence_threshold: embeddingCache.confidenceThreshold,
            store_name: embeddingCache.storeName,
            ...(cacheStats === undefined ? {} : { stats: toWireCacheStats(cacheStats) }),
          },
        }),
    ...(knn === undefined
      ? {}
      : {
          knn: {
            embedding_model: knn.embeddingModel,
            k: knn.k,
            similarity_threshold: knn.similarityThreshold,
            vote_threshold: knn.voteThreshold,
            store_name: knn.storeName,
            ...(corpus === undefined
              ? {}
              : { corpus: { total: corpus.total, label_counts: { ...corpus.labelCounts } } }),
          },
        }),
    problems: [...problems],
  }
}

/** Rules of a file may have any form until they are checked. */
function toWireRuleNames(rules: unknown): Pick<WireRouter, 'rules'> {
  if (!Array.isArray(rules) || rules.length === 0) return {}
  return {
    rules: rules.map((rule: { readonly name?: unknown } | null, index) => String(rule?.name ?? `rule ${index + 1}`)),
  }
}

/** Counts of an embedding cache. */
export function toWireCacheStats(stats: EmbeddingCacheStats): WireCacheStats {
  const { hits, misses, entries } = stats
  return {
    hits,
    misses,
    near_misses: stats.nearMisses,
    low_confidence: stats.lowConfidence,
    embedder_errors: stats.embedderErrors,
    store_errors: stats.storeErrors,
    similarity_buckets: [...stats.similarityBuckets],
    entries,
  }
}

/** An entry of the decision log. */
export function toWireDecision(record: DecisionRecord): WireDecision {
  return {
    id: record.id,
    correlation_id: record.correlationId,
    user_id: record.userId,
    router_model: record.routerModel,
    requested_model: record.requestedModel,
    served_model: record.servedModel,
    classifier: record.classifier,
    label: record.label,
    score: record.score,
    reason: record.reason,
    latency_ms: record.latencyMs,
    cached: record.cached,
    ...toWireEvidence(record),
    source: record.source,
    created_at: new Date(record.createdAt).toISOString(),
  }
}

/** The decision of a dry run. */
export function toWireDryRun(router: string, decision: RouterDecision): RouterDecideReply {
  const { classifier, labels, servedModel, usedFallback, reason, score, latencyMs, cached } = decision
  return {
    router,
    classifier,
    labels: [...labels],
    candidate: servedModel,
    ...(usedFallback ? { fallback: true } : {}),
    reason,
    score,
    latency_ms: latencyMs,
    cached,
    ...toWireEvidence(decision),
  }
}

type WireEvidence = Pick<
  WireDecision,
  | 'gap'
  | 'cache_similarity'
  | 'nearest_similarity'
  | 'label_scores'
  | 'activation_threshold'
  | 'neighbors'
  | 'rules'
  | 'selection'
>

/** Gives the evidence of a decision; members without a value are left out. */
function toWireEvidence(decision: RouterDecision): WireEvidence {
  const { gap, cacheSimilarity, nearestSimilarity, labelScores, activationThreshold, neighbors, rules, selected } =
    decision
  return {
    ...(gap === undefined ? {} : { gap }),
    ...(cacheSimilarity === undefined ? {} : { cache_similarity: cacheSimilarity }),
    ...(nearestSimilarity === undefined ? {} : { nearest_similarity: nearestSimilarity }),
    ...(labelScores === undefined ? {} : { label_scores: labelScores.map(({ label, score }) => ({ label, score })) }),
    ...(activationThreshold === undefined ? {} : { activation_threshold: activationThreshold }),
    ...(neighbors === undefined
      ? {}
      : {
          neighbors: neighbors.map(({ id, similarity, labels }) => ({
            ...(id === undefined ? {} : { id }),
            similarity,
            ...(labels === undefined ? {} : { labels: [...labels] }),
          })),
        }),
    ...(rules === undefined ? {} : { rules: rules.map(toWireRule) }),
    ...(selected === undefined ? {} : { selection: toWireSelection(selected) }),
  }
}

function toWireRule({ name, at, effect, signals }: FiredRule): NonNullable<WireEvidence['rules']>[number] {
  const notes = signals.map(({ signal, value }) => ({ signal, value }))
  if (effect.kind === 'use') return { name, at, use: effect.model, signals: notes }
  if (effect.kind === 'only') return { name, at, only: [...effect.models], signals: notes }
  return { name, at, skip_classifier: true, signals: notes }
}

function toWireSelection({
  by,
  fitting,
  cost,
  durationMs,
  explores,
}: Selected): NonNullable<WireEvidence['selection']> {
  return {
    by,
    fitting,
    ...(cost === undefined ? {} : { cost }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    ...(explores === true ? { explores } : {}),
  }
}

/** The facts of a dry run. */
export function toRequestFacts(facts: RouterDecideRequest['facts']): RequestFacts | undefined {
  if (facts === undefined || facts === null) return undefined
  return {
    hasImages: facts.has_images ?? undefined,
    hasAudio: facts.has_audio ?? undefined,
    hasTools: facts.has_tools ?? undefined,
    promptTokens: facts.prompt_tokens ?? undefined,
    tags: facts.tags ?? undefined,
    groups: facts.groups ?? undefined,
    remainingBudget: facts.remaining_budget ?? undefined,
    conversation: facts.conversation ?? undefined,
  }
}
