import { isOwnPiiEnabled } from '../catalog/capabilities.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { listFailoverTargets } from '../catalog/serving.ts'

/** Form of the tokens of reversible redaction (§2.10). */
export interface TokenForm {
  readonly prefix: string
  readonly suffix: string
  /** How long the tokens of a conversation are kept, hours. @default they live as long as a request */
  readonly keptHours?: number | undefined
}

/** Filter policy for the requests of a model (§2.10, §6.3). */
export interface ConsumerPolicy {
  readonly enabled: boolean
  /** Names of detector models: the model's own, else the defaults of the instance. */
  readonly detectors: readonly string[]
  /** Whether the detectors are the defaults of the instance. */
  readonly isDefault: boolean
  /** Set when masked values are restored in the reply. */
  readonly reversible?: TokenForm | undefined
  readonly blocksMedia: boolean
}

const TOKEN_FORM: TokenForm = { prefix: '[REDACTED:', suffix: ']' }

/** The last policy of each model, with its default detectors. */
const known = new WeakMap<ModelConfig, { readonly defaults: readonly string[]; readonly policy: ConsumerPolicy }>()

/**
 * Gives the present policy of a model.
 *
 * @param defaults the detectors of the instance, for models that name none
 */
export function findConsumerPolicy(model: ModelConfig, defaults: readonly string[]): ConsumerPolicy {
  const last = known.get(model)
  if (last?.defaults === defaults) return last.policy
  const policy = toPolicy(model, defaults)
  known.set(model, { defaults, policy })
  return policy
}

/**
 * The policy of a failover group is at least as strict as that of each target, because the serving target is known only
 * after the request has been filtered.
 */
function toPolicy(model: ModelConfig, defaults: readonly string[]): ConsumerPolicy {
  const targets = listFailoverTargets(model).map((target) => toOwnPolicy(target.model, defaults))
  return unitePolicies(toOwnPolicy(model, defaults), targets)
}

/**
 * Unites policies to one that is at least as strict as each of them. Policies that are off count only when all are: then
 * the first one is given.
 */
export function unitePolicies(own: ConsumerPolicy, more: readonly ConsumerPolicy[]): ConsumerPolicy {
  const filtering = [own, ...more].filter(({ enabled }) => enabled)
  const [first = own, ...others] = filtering
  if (others.length === 0) return first
  const reversible = uniteForms(first, others)
  return {
    enabled: true,
    detectors: [...new Set(filtering.flatMap(({ detectors }) => detectors))],
    isDefault: filtering.every(({ isDefault }) => isDefault),
    ...(reversible === undefined ? {} : { reversible }),
    blocksMedia: filtering.some(({ blocksMedia }) => blocksMedia),
  }
}

/** Only values that every policy would restore are restored, and only those kept that every policy would keep. */
function uniteForms({ reversible }: ConsumerPolicy, others: readonly ConsumerPolicy[]): TokenForm | undefined {
  if (reversible === undefined || others.some((one) => one.reversible === undefined)) return undefined
  const hours = [reversible, ...others.map((one) => one.reversible)].map((form) => form?.keptHours ?? 0)
  const { prefix, suffix } = reversible
  return { prefix, suffix, keptHours: Math.min(...hours) || undefined }
}

/** Whether a policy can change or refuse a body. */
export function hasWork({ enabled, detectors, blocksMedia }: ConsumerPolicy): boolean {
  return enabled && (detectors.length > 0 || blocksMedia)
}

function toOwnPolicy(model: ModelConfig, defaults: readonly string[]): ConsumerPolicy {
  const { detectors: own = [], reversibleRedactions, blockUnscannedMedia = false } = model.pii
  const keptHours = model.pii.conversationTokens === true ? (model.pii.conversationTokensHours ?? 24) : undefined
  const isDefault = own.length === 0
  const { reversibleTokenPrefix: prefix = TOKEN_FORM.prefix, reversibleTokenSuffix: suffix = TOKEN_FORM.suffix } =
    model.pii
  return {
    enabled: isOwnPiiEnabled(model),
    detectors: [...new Set(isDefault ? defaults : own)],
    isDefault,
    ...(reversibleRedactions === true ? { reversible: { prefix, suffix, keptHours } } : {}),
    blocksMedia: blockUnscannedMedia,
  }
}
