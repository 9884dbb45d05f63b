/**
 * The parts of a model backend around its engine: serve the gRPC contract, watch the parent, stop gracefully.
 *
 * @module
 */
export { type CallSignal, type CallSignals, createCallSignals } from './call-signals.ts'
export { describeHandlers } from './capabilities.ts'
export { type Embedded, toEmbeddingResult } from './embedding.ts'
export type { BackendHandlers, ExtensionHandlers, HandlerContext, HandlerOf } from './handlers.ts'
export { assertModelIdentity, modelNotLoaded } from './identity.ts'
export { type ListenOptions, listenBackend, type RunningBackend } from './listen.ts'
export { createLog, type Log } from './log.ts'
export { createModelHost, type HostedModel, type ModelHost, type ModelPlan } from './model-host.ts'
export { orAbort } from './or-abort.ts'
export { createRerankHandlers, type Ranked, type Ranker, type RankRequest } from './rerank.ts'
export { type ServeOptions, serveBackend } from './serve.ts'
export type { ReportFailure } from './service-error.ts'
export { createSlotPool, type SlotLease, type SlotPool } from './slot-pool.ts'
export { StatusError } from './status-error.ts'
export { cosineSimilarity, normalizeVector } from './vectors.ts'
