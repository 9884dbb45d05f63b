/**
 * Bodies that only svc has: backend logs, settings, system, failover, operations, peers, private data, routers, scores,
 * slots, stores, tokens, traces, usage.
 *
 * @module
 */

export {
  type BackendLogLine,
  backendLogLine,
  backendLogLines,
  backendLogMessage,
  backendLogNames,
} from './backend-logs.ts'
export {
  type FailoverChain,
  type FailoverChainList,
  type FailoverChange,
  type FailoverTargetState,
  failoverChain,
  failoverChainList,
  failoverEvent,
  failoverPinRequest,
  failoverTarget,
} from './failover.ts'
export {
  OPERATION_PHASES,
  operation,
  operationChanged,
  operationHistory,
  operationList,
  operationNode,
  operationRecord,
  type WireOperation,
  type WireOperationNode,
  type WireOperationRecord,
} from './operations.ts'
export {
  type PeerFederation,
  type PeerNode,
  type PeerNodes,
  type PeerStatistics,
  type PeerWorkers,
  peerFederation,
  peerNode,
  peerNodes,
  peerStatistics,
  peerWorkers,
} from './peers.ts'
export {
  type MiddlewareStatus,
  middlewareStatus,
  OFFSET_ENCODINGS,
  type PiiAnalysis,
  type PiiEntity,
  type PiiEvent,
  type PiiRedaction,
  type PiiRefusal,
  type PiiTextRequest,
  piiAnalysis,
  piiEntity,
  piiEvent,
  piiEventList,
  piiRedaction,
  piiRefusal,
  piiTextRequest,
} from './pii.ts'
export { type PriceListReply, type PriceListRequest, priceListReply, priceListRequest } from './prices.ts'
export { type ResourcesReply, resourcesReply, type WireDeviceMemory } from './resources.ts'
export {
  type RouterDecideReply,
  type RouterDecideRequest,
  type RouterDecisionList,
  type RouterStatus,
  routerCacheStats,
  routerCorpusAdded,
  routerCorpusCleared,
  routerCorpusRequest,
  routerCorpusStats,
  routerDecideReply,
  routerDecideRequest,
  routerDecisionList,
  routerStatus,
} from './router.ts'
export {
  type CandidateScore,
  candidateScore,
  type ScoreReply,
  type ScoreRequest,
  scoreReply,
  scoreRequest,
} from './score.ts'
export { type SettingsUpdateReply, settingsErrorReply, settingsUpdateReply } from './settings.ts'
export {
  type SlotRestoreReply,
  type SlotRestoreRequest,
  type SlotSaveReply,
  type SlotSaveRequest,
  slotRestoreReply,
  slotRestoreRequest,
  slotSaveReply,
  slotSaveRequest,
  slotStateId,
} from './slots.ts'
export {
  type DiarizationForm,
  type DiarizationReply,
  diarizationForm,
  diarizationReply,
  type SoundClassificationForm,
  type SoundClassificationReply,
  soundClassificationForm,
  soundClassificationReply,
  type VadReply,
  type VadRequest,
  type VoicesReply,
  vadReply,
  vadRequest,
  voicesReply,
} from './sound.ts'
export {
  type StoresFindReply,
  type StoresGetReply,
  type StoresSetRequest,
  storesFindReply,
  storesFindRequest,
  storesGetReply,
  storesKeysRequest,
  storesSetRequest,
} from './stores.ts'
export {
  type LoadedModel,
  type LoadFailure,
  loadedModel,
  loadFailure,
  type ModelProblem,
  type ModelProcess,
  modelProblem,
  modelProcess,
  type SystemReply,
  systemReply,
  type VersionReply,
  versionReply,
} from './system.ts'
export {
  type DetokenizeReply,
  type DetokenizeRequest,
  detokenizeReply,
  detokenizeRequest,
  type TokenizeReply,
  type TokenizeRequest,
  tokenizeReply,
  tokenizeRequest,
} from './tokenize.ts'
export {
  backendTrace,
  backendTraceList,
  type TraceSummary,
  trace,
  traceList,
  traceSummary,
} from './traces.ts'
export {
  type UsageReply,
  type UsageSourcesReply,
  type UsageView,
  usageGroup,
  usageOfKey,
  usageOfUser,
  usageReply,
  usageRow,
  usageSource,
  usageSourcesReply,
  usageTotal,
  usageView,
  type WireUsageGroup,
  type WireUsageRow,
} from './usage.ts'
