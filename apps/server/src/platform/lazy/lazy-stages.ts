import type { Quotas } from '@svc/auth/quotas'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ModelDirectory } from '../../catalog/resolve.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { TraceRecorder } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import type { PipelineStages } from '../../realtime/ports.ts'
import type { StageParts } from '../../realtime/stages/pipeline-stages.ts'
import type { Residency } from '../../residency/residency.ts'
import type { SpendMeter } from '../../spend/spend-meter.ts'
import type { LazyInference } from './lazy-inference.ts'

/**
 * Puts the models of a pipeline behind the stages of one session; undefined for a model that holds no conversations.
 *
 * @param options.through further names by which the caller opened the session
 */
export type CreateStages = (
  model: ModelConfig,
  options?: { readonly through?: readonly string[] | undefined },
) => PipelineStages | undefined

/** Gives the maker of stages. The first session loads its code. */
export type OpenStages = () => Promise<CreateStages>

/** Parts of {@link createOpenStages}. */
export interface OpenStagesParts {
  readonly inference: LazyInference
  readonly models: Pick<ModelDirectory, 'find'>
  readonly residency: Pick<Residency, 'load'>
  readonly quotas: Pick<Quotas, 'reserve' | 'hasLimits'>
  /** Knows what a turn costs, for budgets. */
  readonly meter: SpendMeter
  readonly files: Pick<PrivateFiles, 'create'>
  readonly metrics: Pick<Metrics, 'server'>
  readonly traces: TraceRecorder
  readonly clock: Clock
}

/** Makes the stages of sessions. Nothing of them is loaded yet. */
export function createOpenStages(parts: OpenStagesParts): OpenStages {
  const { inference, models, residency, quotas, meter, files, metrics, traces, clock } = parts
  return async () => {
    const [{ createPipelineStages, holdsConversations }, { readNamedServers }, { core, performQuietly }] =
      await Promise.all([
        import('../../realtime/stages/pipeline-stages.ts'),
        import('../../inference/tools/named-servers.ts'),
        inference.open(),
      ])
    const stageParts: StageParts = {
      core,
      performQuietly,
      findModel: (name) => models.find(name),
      residency,
      quotas,
      meter,
      files,
      readHostedTools: readNamedServers,
      traces,
      observeFirstSound: (seconds) => metrics.server.observeFirstSound(seconds),
      observeStage: (stage, seconds) => metrics.server.observeStage(stage, seconds),
      clock,
    }
    return (model, options) =>
      holdsConversations(model) ? createPipelineStages(model, stageParts, options) : undefined
  }
}
