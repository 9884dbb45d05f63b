import type { Quotas } from '@svc/auth/quotas'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ModelDirectory } from '../../catalog/resolve.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { Clock } from '../../ports.ts'
import type { PipelineStages } from '../../realtime/ports.ts'
import type { StageParts } from '../../realtime/stages/pipeline-stages.ts'
import type { Residency } from '../../residency/residency.ts'
import type { LazyInference } from './lazy-inference.ts'

/** Puts the models of a pipeline behind the stages of one session. The first session loads their code. */
export type OpenStages = (
  model: ModelConfig,
  options: Pick<StageParts, 'readHostedTools'> & {
    /** Further names by which the caller opened the session. @default none */
    readonly through?: readonly string[] | undefined
  },
) => Promise<PipelineStages>

/** Parts of {@link createOpenStages}. */
export interface OpenStagesParts {
  readonly inference: LazyInference
  readonly models: Pick<ModelDirectory, 'find'>
  readonly residency: Pick<Residency, 'load'>
  readonly quotas: Pick<Quotas, 'reserve'>
  readonly files: Pick<PrivateFiles, 'create'>
  readonly metrics: Pick<Metrics, 'server'>
  readonly clock: Clock
}

/** Makes the stages of sessions. Nothing of them is loaded yet. */
export function createOpenStages(parts: OpenStagesParts): OpenStages {
  const { inference, models, residency, quotas, files, metrics, clock } = parts
  return async (model, { through, readHostedTools }) => {
    const [{ createPipelineStages }, { core, performQuietly }] = await Promise.all([
      import('../../realtime/stages/pipeline-stages.ts'),
      inference.open(),
    ])
    return createPipelineStages(
      model,
      {
        core,
        performQuietly,
        findModel: (name) => models.find(name),
        residency,
        quotas,
        files,
        readHostedTools,
        observeStage: (stage, seconds) => metrics.server.observeStage(stage, seconds),
        clock,
      },
      { through },
    )
  }
}
