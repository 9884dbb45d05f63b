import { SvcError } from '@svc/errors'
import type { FailoverTarget, ModelConfig, Serving } from './model-config.ts'

/** Backend of pattern detectors, which run in the server itself; a name for `backend:` of model files. */
export const PATTERN_BACKEND = 'pattern'
const CLOUD_PROXY = 'cloud-proxy'
const SERVICE_PROXY = 'service-proxy'

/** Keys of a model file that decide who serves it. */
export type ServingKeys = Pick<ModelConfig, 'backend' | 'proxy' | 'failover' | 'parameters' | 'pipeline' | 'router'>

/** Decides who serves the model of a file. */
export function toServing({ backend, proxy, failover, parameters, pipeline, router }: ServingKeys): Serving {
  const name = backend.toLowerCase()
  if (name === PATTERN_BACKEND) return { kind: 'detector' }
  if (router !== undefined && describesRouter(router)) return { kind: 'router' }
  if (failover?.targets !== undefined) return { kind: 'failover', targets: [] }
  const provider = proxy?.provider === 'provider_b' ? 'provider_b' : 'provider_a'
  if (name === CLOUD_PROXY) return { kind: proxy?.mode === 'translate' ? 'translation' : 'relay', provider }
  if (name === SERVICE_PROXY) return { kind: 'instance' }
  if (name !== '' || isText(parameters.model)) return { kind: 'backend' }
  if (pipeline !== undefined && listPipelineModels(pipeline).length > 0) return { kind: 'pipeline' }
  if (pipeline !== undefined)
    return none('is a pipeline that names no model: pipeline.llm and its neighbours are empty')
  return none('names neither a backend nor weights (parameters.model): nothing can serve it')
}

/** Whether a `router` block says more than settings: it names labels or models. */
export function describesRouter({
  policies = [],
  candidates = [],
  fallback,
}: NonNullable<ModelConfig['router']>): boolean {
  return policies.length > 0 || candidates.length > 0 || isText(fallback)
}

/** Lists the models that a `pipeline` block names, without duplicates, in the order of its keys. */
export function listPipelineModels({
  vad,
  transcription,
  llm,
  tts,
  soundDetection,
  voiceRecognition,
  classifier,
  compaction,
}: NonNullable<ModelConfig['pipeline']>): readonly string[] {
  const scorer = classifier?.enabled === true ? classifier.model : undefined
  const summarizer = compaction?.enabled === true ? compaction.summaryModel : undefined
  const names = [vad, transcription, llm, tts, soundDetection, voiceRecognition?.model, scorer, summarizer]
  return [...new Set(names.filter(isText))]
}

const none = (reason: string): Serving => ({ kind: 'none', reason })

function isText(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}

const DETECTOR_REASON =
  'finds private text by patterns: name it as a PII detector, or in /api/pii/analyze and /api/pii/redact'
const ROUTER_REASON = 'picks another model for each request: nothing of its own can be loaded'
const PIPELINE_REASON =
  'is a pipeline of other models for spoken conversations: open a session with GET /v1/realtime (WebSocket)'

/**
 * Creates the refusal of a model that serves no requests: `model_not_served` (400) with its purpose, or with the
 * missing feature.
 */
export function notServed({ name, serving }: ModelConfig): SvcError {
  return new SvcError('invalid_request', `model "${name}" ${toReason(serving)}`, {
    code: 'model_not_served',
    details: { param: 'model' },
  })
}

function toReason(serving: Serving): string {
  switch (serving.kind) {
    case 'none':
      return serving.reason
    case 'router':
      return ROUTER_REASON
    case 'pipeline':
      return PIPELINE_REASON
    default:
      return DETECTOR_REASON
  }
}

/** Whether a model serves requests. A pipeline serves sessions and no requests. */
export function servesRequests({ serving }: ModelConfig): boolean {
  return serving.kind !== 'none' && serving.kind !== 'detector' && serving.kind !== 'pipeline'
}

/** Whether a model consists of others that hold a spoken conversation. */
export function isPipeline({ serving }: ModelConfig): boolean {
  return serving.kind === 'pipeline'
}

/** Whether a model picks another one for each request. */
export function isRouter({ serving }: ModelConfig): boolean {
  return serving.kind === 'router'
}

/** Whether failover targets serve for a model. */
export function hasFailover(model: ModelConfig): boolean {
  return model.serving.kind === 'failover'
}

/** Lists the failover targets of a model; none for a model that is served itself. */
export function listFailoverTargets({ serving }: ModelConfig): readonly FailoverTarget[] {
  return serving.kind === 'failover' ? serving.targets : []
}

/** Whether an upstream serves a model itself, relayed or translated. */
export function livesUpstream({ serving }: ModelConfig): boolean {
  return serving.kind === 'relay' || serving.kind === 'translation'
}

/** Whether another server serves a model itself: an upstream, or a peer of the federation. */
export function livesElsewhere(model: ModelConfig): boolean {
  return livesUpstream(model) || model.serving.kind === 'federated'
}

/** Whether requests of a model go to another server as the client wrote them. */
export function isRelayed({ serving }: ModelConfig): boolean {
  return serving.kind === 'relay' || serving.kind === 'federated'
}

/** Whether requests of a model, or of one of its failover targets, leave this machine. */
export function leavesMachine(model: ModelConfig): boolean {
  const { serving } = model
  switch (serving.kind) {
    case 'relay':
    case 'translation':
    case 'instance':
    case 'federated':
      return true
    case 'failover':
      return serving.targets.some((target) => leavesMachine(target.model))
    // The model that a router picks, that a pipeline consists of, or that an agent asks, decides.
    case 'router':
    case 'pipeline':
    case 'agent':
    case 'backend':
    case 'store':
    case 'detector':
    case 'none':
      return false
  }
}
