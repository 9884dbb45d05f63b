import { checkModelAccess, type Principal } from '@svc/auth'
import type { Quotas } from '@svc/auth/quotas'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { refuseDisabled } from '../../inference/stages/access.ts'
import type { SpendMeter } from '../../spend/spend-meter.ts'
import type { StageCall } from '../ports.ts'

/** Options of {@link checkStageAccess}. */
export interface AccessOptions {
  readonly pipeline: ModelConfig
  readonly through: readonly string[]
  readonly models: readonly ModelConfig[]
  readonly quotas: Pick<Quotas, 'reserve' | 'hasLimits'>
  /** Knows what models cost, for budgets. @default nothing has a price */
  readonly meter?: Pick<SpendMeter, 'estimate'> | undefined
}

/**
 * Refuses a caller who may not use a pipeline, or whose quotas are used up. The right to the pipeline suffices for its
 * models; a disabled one stays disabled.
 *
 * @throws {SvcError} `model_not_allowed`, `model_disabled`, `quota_exceeded`, `limit_exceeded`, `budget_exceeded`, `price_unknown`
 */
export async function checkStageAccess({ caller, signal }: StageCall, options: AccessOptions): Promise<void> {
  const { pipeline, through, models, quotas, meter } = options
  const { principal } = caller
  refuseStage(principal, { pipeline, through })
  caller.useModel(pipeline.name, through)
  for (const model of models) refuseDisabled(model)
  if (principal.quotas.length === 0 && !quotas.hasLimits) return
  for (const model of new Set(models)) {
    const cost = () => meter?.estimate(model, { promptTokens: 0, completionTokens: 0 })
    const use = { model: model.name, through: [pipeline.name, ...through], tokens: 0, cost }
    const reserved = await quotas.reserve(principal, use, { signal })
    // It is only asked for: nothing has been used.
    reserved.settle(undefined)
  }
}

/** Refuses a caller without the right to a pipeline, and a disabled pipeline. @throws {SvcError} */
export function refuseStage(
  principal: Principal,
  { pipeline, through }: { readonly pipeline: ModelConfig; readonly through: readonly string[] },
): void {
  checkModelAccess(principal, pipeline.name, through)
  refuseDisabled(pipeline)
}
