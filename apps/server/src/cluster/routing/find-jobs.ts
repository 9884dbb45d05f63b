import type { ModelConfig } from '../../catalog/model-config.ts'
import { findNearestLoad, type RunningLoad } from '../contract/load-object.ts'
import type { LoadJob, LoadJobs } from '../loads/load-jobs.ts'

/** What the table of loads says of a model. */
export interface FoundJobs {
  readonly running?: RunningLoad
  readonly failed?: LoadJob
  /** Whether all running loads are those of the reconciler, which takes them over where their server is gone. */
  readonly isElsewhere?: boolean
}

/** The load that requests begin. */
export const toLoadKey = ({ name }: ModelConfig): string => `${name}#0`

/** Finds a running load of a model, or else the failed one of this configuration. */
export async function findJobs(
  model: ModelConfig,
  { jobs, revisionOf }: { readonly jobs: Pick<LoadJobs, 'list'>; readonly revisionOf: (model: ModelConfig) => string },
): Promise<FoundJobs> {
  const all = await jobs.list(model.name)
  const running = findNearestLoad(all)
  if (running !== undefined) {
    return { running, isElsewhere: !all.some(({ key, state }) => key === toLoadKey(model) && state !== 'failed') }
  }
  // A failure stays in the list for a while after it was told.
  const failed = all.find(({ configRevision, toldForMs = 0 }) => configRevision === revisionOf(model) && toldForMs > 0)
  return failed === undefined ? {} : { failed }
}
