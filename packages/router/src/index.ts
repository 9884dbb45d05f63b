/**
 * Picks the model that serves a prompt: a classifier finds its labels, and the first candidate that covers them serves.
 * Knows no server, no engine and no Node: models, stores and clocks are ports. The corpus, fitting, vectors, files and
 * the block of a model file are entries of their own.
 *
 * @module
 */

// A router, and its decisions.

export type { EmbeddingCacheStats } from './cache/embedding-cache.ts'
export type { RouterModels } from './create-classifier.ts'
export type { DecisionReason, RouterDecision } from './decision.ts'
export { createRouter, type Router, type RouterOptions } from './router.ts'

// The text by which a request is routed.

export { extractProbe } from './probe/extract-probe.ts'
export { createProbe, type Probe, type ProbeFormat } from './probe/probe.ts'

// Settings.

export {
  type ClassifierName,
  type EmbeddingCacheSettings,
  type KnnSettings,
  type RouterCandidate,
  type RouterPolicy,
  type RouterSettings,
  resolveCorpusName,
  resolveRouterSettings,
} from './settings.ts'
export { type RouterProblem, validateRouterSettings } from './validate-settings.ts'

// The most recent decisions.

export { createDecisionLog, type DecidedRequest, type DecisionLog, type DecisionRecord } from './decision-log.ts'

// Ports: the parts that the user of the package brings.

export { type CallLimit, createCallLimit } from './call-limit.ts'
export type {
  CallOptions,
  Clock,
  DecisionModel,
  Embedder,
  Logger,
  ModelDirectory,
  PromptTemplate,
  Reranker,
  Scorer,
  TokenBudget,
} from './ports.ts'
export { chooseTurnEnd } from './prompt/score-prompt.ts'

// Errors.

export { RouterError, type RouterErrorCode } from './errors.ts'
