import { activateLabels, findTopLabel } from '../activation.ts'
import { type CallLimit, createCallLimit } from '../call-limit.ts'
import { waitFor } from '../corpus/lock.ts'
import { classifierError } from '../errors.ts'
import type { DecisionAnswer, DecisionModel, DecisionQuestion } from '../ports.ts'
import type { RouterPolicy } from '../settings.ts'
import type { Classifier } from './classification.ts'

/** The most bytes of a request to a decision model: prompt and questions as JSON. */
const MAX_REQUEST_BYTES = 64 * 1024

/** Options of {@link createDecisionClassifier}. */
export interface DecisionClassifierOptions {
  readonly model: DecisionModel
  readonly policies: readonly RouterPolicy[]
  readonly threshold: number
  readonly limit?: CallLimit | undefined
}

/**
 * Asks one yes-or-no question a policy. Probabilities are independent: several labels may be active, or none. The
 * prompt is never cut; a too long prompt is an error. A request waits for a free place until its signal aborts.
 */
export function createDecisionClassifier(options: DecisionClassifierOptions): Classifier {
  const { model, policies, threshold, limit = createCallLimit() } = options
  const questions = policies.map(toQuestion)
  return {
    name: 'decisions',
    prepare: model.prepare,
    async classify({ text: prompt }, call) {
      const request = { prompt, questions }
      if (new TextEncoder().encode(JSON.stringify(request)).length > MAX_REQUEST_BYTES) {
        throw classifierError(`the prompt and the questions about it are longer than ${MAX_REQUEST_BYTES} bytes`)
      }
      const leave = await limit.wait(call)
      try {
        // A model that ignores its signal keeps no place.
        const answers = await waitFor(model.decide(request, call), call.signal)
        const probabilities = readAnswers(answers, questions)
        const labelScores = policies.map(({ label }, index) => ({ label, score: probabilities[index] ?? 0 }))
        return {
          labels: activateLabels(labelScores, { threshold, needsOne: false }),
          score: findTopLabel(labelScores)?.score ?? 0,
          labelScores,
          activationThreshold: threshold,
        }
      } finally {
        leave()
      }
    },
  }
}

function toQuestion({ label, description }: RouterPolicy, index: number): DecisionQuestion {
  return {
    id: `p${index}`,
    label,
    whenTrue: `The conversation is about: ${description}`,
    whenFalse: `The conversation is not about: ${description}`,
  }
}

/** Probabilities in the order of the questions. */
function readAnswers(answers: readonly DecisionAnswer[], questions: readonly DecisionQuestion[]): number[] {
  const byId = new Map(answers.map(({ id, probability }) => [id, probability]))
  if (answers.length !== questions.length || byId.size !== questions.length) {
    throw classifierError(`the decision model gave ${answers.length} answers to ${questions.length} questions`)
  }
  return questions.map(({ id }) => {
    const probability = byId.get(id)
    if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1)) {
      throw classifierError('the decision model gave an answer that is not a probability')
    }
    return probability
  })
}
