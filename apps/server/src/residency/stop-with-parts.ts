import { type SvcError, toSvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import { listParts } from './load-with-parts.ts'
import type { Residency, StopOutcome } from './residency.ts'

/** Models that a stop took out of memory, and models that stayed. */
export interface StopReport {
  /** Results of the models that were loaded or loading. */
  readonly outcomes: readonly StopOutcome[]
  readonly failures: readonly { readonly name: string; readonly error: SvcError }[]
}

/** Options of {@link stopWithParts}. */
export interface PartStopOptions {
  /** Gives the model of a name and follows an alias; undefined when there is none. */
  readonly resolve: (name: string) => ModelConfig | undefined
  readonly residency: Pick<Residency, 'stop'>
  readonly force: boolean
}

/** Unloads a model and, of a realtime pipeline or failover, all models that it consists of, in parallel. */
export async function stopWithParts(
  model: ModelConfig,
  { resolve, residency, force }: PartStopOptions,
): Promise<StopReport> {
  const names = new Set([model.name, ...listParts(model).map((part) => resolve(part)?.name ?? part)])
  const stops = await Promise.all(
    [...names].map(async (name) => {
      try {
        return { name, outcome: await residency.stop(name, { force }) }
      } catch (error) {
        return { name, error: toSvcError(error) }
      }
    }),
  )
  return {
    outcomes: stops.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome])),
    failures: stops.flatMap(({ name, error }) => (error === undefined ? [] : [{ name, error }])),
  }
}
