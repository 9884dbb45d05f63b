/**
 * The block `router` of a model file (§2.12) as a schema: plain data from YAML or JSON in, settings out. The only entry
 * of the package that needs zod.
 *
 * @module
 */
import * as z from 'zod'
import type { RouterSettings } from './settings.ts'
import { toRuleSettings } from './signals/rule-keys.ts'

const text = z.string().nullish()
const number = z.number().nullish()

const policy = z
  .looseObject({ label: text, description: text })
  .transform(({ label, description }) => ({ label: label ?? '', description: description ?? '' }))

const candidate = z
  .looseObject({ model: text, labels: z.array(z.string()).nullish() })
  .transform(({ model, labels }) => ({ model: model ?? '', labels: labels ?? [] }))

const embeddingCache = z
  .looseObject({ embedding_model: text, similarity_threshold: number, confidence_threshold: number, store_name: text })
  .transform((block) => ({
    embeddingModel: block.embedding_model ?? '',
    similarityThreshold: block.similarity_threshold ?? undefined,
    confidenceThreshold: block.confidence_threshold ?? undefined,
    storeName: block.store_name ?? undefined,
  }))

const knn = z
  .looseObject({
    embedding_model: text,
    embedding_revision: text,
    k: number,
    similarity_threshold: number,
    vote_threshold: number,
    store_name: text,
  })
  .transform((block) => ({
    embeddingModel: block.embedding_model ?? '',
    embeddingRevision: block.embedding_revision ?? undefined,
    k: block.k ?? undefined,
    similarityThreshold: block.similarity_threshold ?? undefined,
    voteThreshold: block.vote_threshold ?? undefined,
    storeName: block.store_name ?? undefined,
  }))

const sticky = z.looseObject({ ttl_seconds: number, max_conversations: number }).transform((block) => ({
  ttlSeconds: block.ttl_seconds ?? undefined,
  maxConversations: block.max_conversations ?? undefined,
}))

const select = z
  .looseObject({
    by: z.enum(['fitting', 'cheapest', 'fastest']),
    expected_output_tokens: number,
    explore: number,
    stale_seconds: number,
  })
  .transform((block) => ({
    by: block.by,
    expectedOutputTokens: block.expected_output_tokens ?? undefined,
    explore: block.explore ?? undefined,
    staleSeconds: block.stale_seconds ?? undefined,
  }))

/**
 * The `router` block. Unknown keys are ignored. It refuses only values of a wrong type: `validateRouterSettings` finds
 * the other mistakes, `validateSignals` those of `rules`, `sticky` and `select`.
 */
export const routerBlock = z
  .looseObject({
    classifier: text,
    classifier_model: text,
    classifier_cache_size: number,
    score_normalization: z.enum(['raw', 'mean']).nullish(),
    activation_threshold: number,
    policies: z.array(policy).nullish(),
    candidates: z.array(candidate).nullish(),
    fallback: text,
    embedding_cache: embeddingCache.nullish(),
    knn: knn.nullish(),
    rules: z.unknown().optional(),
    sticky: sticky.nullish(),
    select: select.nullish(),
  })
  .transform(
    (block): RouterSettings => ({
      classifier: block.classifier ?? undefined,
      classifierModel: block.classifier_model ?? undefined,
      classifierCacheSize: block.classifier_cache_size ?? undefined,
      scoreNormalization: block.score_normalization ?? undefined,
      activationThreshold: block.activation_threshold ?? undefined,
      policies: block.policies ?? [],
      candidates: block.candidates ?? [],
      fallback: block.fallback ?? undefined,
      embeddingCache: block.embedding_cache ?? undefined,
      knn: block.knn ?? undefined,
      rules: toRuleSettings(block.rules),
      sticky: block.sticky ?? undefined,
      select: block.select ?? undefined,
    }),
  )
