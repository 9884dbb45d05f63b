import { NO_USAGE, type Usage } from '../events.ts'
import type { GenerationRequest } from '../request.ts'
import { ChoiceRun } from './choice-run.ts'
import type { PlanPrediction } from './plan.ts'
import type { PredictionContext } from './prediction-context.ts'

/** A planned prediction: its choices run one after the other. */
export interface Prediction {
  /** Run each choice to its end before you take the next one. */
  readonly choices: Iterable<ChoiceRun>
  /** Figures of all choices that have ended. */
  readonly usage: Usage
}

/** Plans predictions on a loaded model. */
export type Predictor = (request: GenerationRequest, context: PredictionContext) => Promise<Prediction>

/** Creates the predictor. Each prompt counts once for all of its answers; the answers add up. */
export function createPredictor(plan: PlanPrediction): Predictor {
  return async (request, context) => {
    const plans = await plan(request, context)
    let total: Usage = NO_USAGE
    function* runAll(): Generator<ChoiceRun> {
      for (const [position, one] of plans.entries()) {
        for (let number = 0; number < request.choices; number += 1) {
          const choice = { index: position * request.choices + number, plan: one, countsPrompt: number === 0 }
          const run = new ChoiceRun(request, choice, { before: total, context })
          yield run
          total = run.usage
        }
      }
    }
    return {
      choices: runAll(),
      get usage() {
        return total
      },
    }
  }
}
