import type { ModelConfig } from '../catalog/model-config.ts'
import type { GenerationRequest } from '../inference/core/request.ts'
import type { ExecuteOptions } from '../inference/engine/executor.ts'
import type { MaybePromise } from '../ports.ts'
import type { ModelLease, Residency } from '../residency/residency.ts'

/** The request that a model is placed for. A call outside a request has only its signal. */
export interface PlacementContext extends Pick<ExecuteOptions, 'signal' | 'correlationId' | 'header' | 'trace'> {
  /** The prediction to come. Places that have worked on an equal beginning are quicker with it. @default another call */
  readonly request?: GenerationRequest | undefined
}

/** Decides where a model runs, and gives the right to call it there. */
export interface Placement {
  /**
   * Gives a lease of a loaded model; loads it first if necessary, and may wait for a place. Release the lease once.
   *
   * @throws SvcError as {@link Residency.acquire}, or the abort
   */
  place(model: ModelConfig, context: PlacementContext): MaybePromise<ModelLease>
  /** Loads a model unless it is loaded somewhere. @throws as {@link Residency.load} */
  load(model: ModelConfig, options: { readonly signal: AbortSignal }): Promise<void>
}

/** The models of one place. */
export type PlaceResidency = Pick<Residency, 'place' | 'acquire' | 'load'>

/** Chooses one of the places for a model. It may wait, no longer than until the signal aborts. */
export type ChoosePlace = (
  model: ModelConfig,
  options: { readonly places: readonly PlaceResidency[]; readonly context: PlacementContext },
) => MaybePromise<PlaceResidency>

/** Creates a placement on this machine. */
export function createLocalPlacement(residency: PlaceResidency): Placement {
  return createPlacement({ places: [residency], choose: () => residency })
}

/** Creates a placement over several places. */
export function createPlacement({
  places,
  choose,
}: {
  readonly places: readonly PlaceResidency[]
  readonly choose: ChoosePlace
}): Placement {
  return {
    place(model, context) {
      const chosen = choose(model, { places, context })
      // A placement that knows its place adds no promise to that of the residency.
      return chosen instanceof Promise
        ? chosen.then((residency) => residency.acquire(model, context))
        : chosen.acquire(model, context)
    },
    async load(model, context) {
      const residency = await choose(model, { places, context })
      return residency.load(model, context)
    },
  }
}
