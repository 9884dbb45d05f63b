import { SvcError } from '@svc/errors'
import type { FailoverTarget, ModelConfig, Serving } from './model-config.ts'

/** Detectors that run in the server itself, by patterns; also a name that `backend:` of a model file can have. */
export const PATTERN_BACKEND = 'pattern'
const CLOUD_PROXY = 'cloud-proxy'
const SERVICE_PROXY = 'service-proxy'

/** What of a model's file decides who serves it. */
export type ServingKeys = Pick<ModelConfig, 'backend' | 'proxy' | 'failover' | 'parameters' | 'pipeline' | 'router'> & {
  readonly mcp?: ModelConfig['mcp'] | undefined
}

/** Who serves the model of a file. */
export function toServing({ backend, proxy, failover, parameters, pipeline, router, mcp }: ServingKeys): Serving {
  const name = backend.toLowerCase()
  if (name === PATTERN_BACKEND) return { kind: 'detector' }
  if (router !== undefined && describesRouter(router)) return { kind: 'router' }
  if (isText(mcp?.remote) || isText(mcp?.stdio)) return none('calls MCP servers (mcp), which is not in this version')
  if (failover?.targets !== undefined) return { kind: 'failover', targets: [] }
  const provider = proxy?.provider === 'provider_b' ? 'provider_b' : 'provider_a'
  if (name === CLOUD_PROXY) return { kind: proxy?.mode === 'translate' ? 'translation' : 'relay', provider }
  if (name === SERVICE_PROXY) return { kind: 'instance' }
  if (name !== '' || isText(parameters.model)) return { kind: 'backend' }
  if (pipeline !== undefined) return none('is a pipeline of other models (pipeline), which is not in this version')
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

const none = (reason: string): Serving => ({ kind: 'none', reason })

function isText(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== ''
}

const DETECTOR_REASON =
  'finds private text by patterns: name it as a PII detector, or in /api/pii/analyze and /api/pii/redact'

/** The refusal of a model that serves no requests: `model_not_served` (400) with what it is for, or what is not built. */
export function notServed({ name, serving }: ModelConfig): SvcError {
  const reason = serving.kind === 'none' ? serving.reason : DETECTOR_REASON
  return new SvcError('invalid_request', `model "${name}" ${reason}`, {
    code: 'model_not_served',
    details: { param: 'model' },
  })
}

/** Whether requests of a model are served by anybody. */
export function servesRequests({ serving }: ModelConfig): boolean {
  return serving.kind !== 'none' && serving.kind !== 'detector'
}

/** Whether a model picks another one for each request. */
export function isRouter({ serving }: ModelConfig): boolean {
  return serving.kind === 'router'
}

/** Whether others serve for a model. */
export function hasFailover(model: ModelConfig): boolean {
  return model.serving.kind === 'failover'
}

/** The models that serve for a model; none for one that is served itself. */
export function listFailoverTargets({ serving }: ModelConfig): readonly FailoverTarget[] {
  return serving.kind === 'failover' ? serving.targets : []
}

/** Whether an upstream serves a model itself, byte for byte or translated. */
export function livesUpstream({ serving }: ModelConfig): boolean {
  return serving.kind === 'relay' || serving.kind === 'translation'
}

/** Whether requests of a model, or of one that serves for it, leave this machine. */
export function leavesMachine(model: ModelConfig): boolean {
  const { serving } = model
  switch (serving.kind) {
    case 'relay':
    case 'translation':
    case 'instance':
      return true
    case 'failover':
      return serving.targets.some((target) => leavesMachine(target.model))
    // The model that a router picks decides.
    case 'router':
    case 'backend':
    case 'detector':
    case 'none':
      return false
  }
}
