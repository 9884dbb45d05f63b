import { activateLabels, findTopLabel } from '../activation.ts'
import { classifierError } from '../errors.ts'
import type { ContinuationScore, PromptTemplate, Scorer } from '../ports.ts'
import {
  CHATML_TURN_END,
  countCommonBytes,
  neutraliseDelimiters,
  renderChatml,
  writeAnswer,
  writeSystemTurn,
} from '../prompt/score-prompt.ts'
import type { RouterPolicy } from '../settings.ts'
import { softmax } from '../softmax.ts'
import { createTrimmer } from '../trim.ts'
import type { Classifier } from './classification.ts'

const CHATML: PromptTemplate = { render: renderChatml, turnEnd: CHATML_TURN_END }

/** Options of {@link createScoreClassifier}. */
export interface ScoreClassifierOptions {
  readonly scorer: Scorer
  readonly policies: readonly RouterPolicy[]
  readonly threshold: number
  /** @default 'mean' */
  readonly normalization?: 'raw' | 'mean' | undefined
  /** The system turn. @default a turn that names all policies */
  readonly systemTurn?: string | undefined
}

/**
 * Asks a language model for the probability of each label as the answer. Log-probabilities are divided by the number of
 * tokens, so that long labels lose nothing, and become shares by softmax. The top label is active with any share.
 */
export function createScoreClassifier(options: ScoreClassifierOptions): Classifier {
  const { scorer, policies, threshold, normalization = 'mean', systemTurn = writeSystemTurn(policies) } = options
  const template = scorer.template ?? CHATML
  const render = (user: string) =>
    template.render({ system: systemTurn, user: neutraliseDelimiters(user, template.turnEnd) })
  const continuations = policies.map(({ label }) => writeAnswer(label, template.turnEnd))
  const longest = continuations.reduce((one, other) => (other.length > one.length ? other : one), '')
  const stablePrefixBytes = countCommonBytes(render('a'), render('b'))
  return {
    name: 'score',
    prepare: scorer.prepare,
    // A label that has more tokens than letters would need a strange tokenizer.
    trimmer: createTrimmer({ tokens: scorer.tokens, render, answerTokens: longest.length }),
    async classify(probe, call) {
      const prompt = render(probe.text)
      const scores = await scorer.score({ prompt, continuations, stablePrefixBytes }, call)
      const shares = toShares(scores, continuations.length, normalization)
      const labelScores = policies.map(({ label }, index) => ({ label, score: shares[index] ?? 0 }))
      return {
        labels: activateLabels(labelScores, { threshold, needsOne: true }),
        score: findTopLabel(labelScores)?.score ?? 0,
        labelScores,
        activationThreshold: threshold,
      }
    },
  }
}

/**
 * The share of each continuation. A continuation without tokens has the share 0.
 *
 * @throws `router_classifier` for impossible scores
 */
export function toShares(
  scores: readonly ContinuationScore[],
  count: number,
  normalization: 'raw' | 'mean' = 'mean',
): number[] {
  if (scores.length !== count) {
    throw classifierError(`the scoring model gave ${scores.length} scores for ${count} labels`)
  }
  const values = scores.map(({ logProbability, tokenCount }) => {
    if (typeof logProbability !== 'number' || !(logProbability < Number.POSITIVE_INFINITY)) {
      throw classifierError('the scoring model gave a log-probability that is not a number')
    }
    if (!Number.isSafeInteger(tokenCount) || tokenCount < 0) {
      throw classifierError('the scoring model gave a number of tokens that cannot be')
    }
    if (tokenCount === 0) return undefined
    return normalization === 'mean' ? logProbability / tokenCount : logProbability
  })
  const present = values.filter((value) => value !== undefined)
  if (present.length === 0) throw classifierError('the scoring model found no tokens in any label')
  const shares = softmax(present)
  let next = 0
  return values.map((value) => (value === undefined ? 0 : (shares[next++] ?? 0)))
}
