import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../ports.ts'
import { mergeConfig } from '../merge-config.ts'
import { type ModelPlan, withConfig } from '../model-plan.ts'
import { isFields } from '../to-entry.ts'
import { type PlannedArtifact, planArtifacts } from './plan-artifacts.ts'
import {
  type ArtifactResolverParts,
  type ResolvedArtifact,
  resolveArtifact,
  toArtifactFields,
} from './resolve-artifact.ts'

/** A plan whose model file names the commits of its snapshots. */
export interface PlanWithArtifacts {
  readonly plan: ModelPlan
  readonly artifacts: readonly ResolvedArtifact[]
}

/** Parts that resolve the artifacts of a plan. */
export interface PlanResolverParts extends ArtifactResolverParts {
  readonly modelsPath: string
  readonly logger: Logger
}

/**
 * Resolves the artifacts of a plan. A repository that the model file only names is left to the backend where the hub does
 * not tell about it.
 *
 * @throws {SvcError} as {@link planArtifacts} and {@link resolveArtifact}
 */
export async function resolveArtifacts(
  plan: ModelPlan,
  parts: PlanResolverParts,
  signal: AbortSignal,
): Promise<PlanWithArtifacts> {
  const artifacts: ResolvedArtifact[] = []
  for (const planned of planArtifacts(plan.model)) {
    const resolved = planned.isInferred
      ? await tryInferred(planned, plan, parts, signal)
      : await resolveArtifact(planned, parts, signal)
    if (resolved !== undefined) artifacts.push(resolved)
  }
  if (artifacts.length === 0) return { plan, artifacts }
  const written: readonly unknown[] = Array.isArray(plan.config.artifacts) ? plan.config.artifacts : []
  const fields = artifacts.map((artifact, index) => {
    const before = written[index]
    return mergeConfig(isFields(before) ? before : {}, toArtifactFields(artifact))
  })
  return { plan: withConfig(plan, { artifacts: fields }), artifacts }
}

async function tryInferred(
  planned: PlannedArtifact,
  plan: ModelPlan,
  parts: PlanResolverParts,
  signal: AbortSignal,
): Promise<ResolvedArtifact | undefined> {
  const { repository } = planned
  const isOwnFile = plan.files.some(({ filename }) => filename === repository || filename.startsWith(`${repository}/`))
  const isHere = await lstat(join(parts.modelsPath, repository)).catch(() => undefined)
  if (isOwnFile || isHere !== undefined) return undefined
  try {
    return await resolveArtifact(planned, parts, signal)
  } catch (error) {
    signal.throwIfAborted()
    parts.logger.warn({ err: error, repository }, 'the backend is left to fetch the repository of a model')
    return undefined
  }
}
