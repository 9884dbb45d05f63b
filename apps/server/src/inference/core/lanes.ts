import type { TokenMap } from '@svc/pii/reversible'
import { createArgumentsFiller } from '../engine/fill-arguments.ts'
import type { PredictionEvent, PredictionStep, PredictionWarning } from './events.ts'
import { createLaneRestoration } from './restore-lanes.ts'

/** Options of {@link createLanes}. */
export interface LaneOptions {
  /** Masked values to restore. */
  readonly restoration?: TokenMap | undefined
  onWarning(warning: PredictionWarning): void
}

/**
 * Turns the steps of a prediction into the events of its reply: passes warnings on, restores values and fills in absent
 * arguments of calls.
 */
export type Lanes = (steps: readonly PredictionStep[]) => readonly PredictionEvent[]

/** Creates the lanes of one prediction. */
export function createLanes({ restoration, onWarning }: LaneOptions): Lanes {
  const restore = restoration === undefined ? undefined : createLaneRestoration(restoration)
  const fillArguments = createArgumentsFiller()
  return (steps) => {
    const events: PredictionEvent[] = []
    for (const step of steps) {
      if (step.type === 'warning') onWarning(step)
      else if (step.type === 'progress') continue
      else if (restore === undefined) events.push(step)
      else restore(step, events)
    }
    return fillArguments(events)
  }
}
