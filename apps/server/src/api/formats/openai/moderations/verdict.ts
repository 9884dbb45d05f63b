import { SvcError } from '@svc/errors'
import { MODERATION_CATEGORIES, type ModerationCategory, type ModerationResult } from '@svc/wire/openai'

/** Scores that a model may give; finer ones would only add digits. */
const SCORES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const
/** Score from which a category is flagged. */
const THRESHOLD = 0.5

/** The form for the model: a score for each category. */
export const VERDICT_SCHEMA = {
  type: 'object',
  properties: mapCategories(() => ({ enum: SCORES })),
  required: MODERATION_CATEGORIES,
  additionalProperties: false,
}

/**
 * Reads the result from the form that a model filled in.
 *
 * @throws SvcError `internal`, code `moderation_failed`, for an incomplete form
 */
export function readVerdict(answer: string): ModerationResult {
  const scores = readScores(answer)
  const categories = mapCategories((category) => scores[category] >= THRESHOLD)
  return {
    flagged: Object.values(categories).includes(true),
    categories,
    category_scores: scores,
    category_applied_input_types: mapCategories((): 'text'[] => ['text']),
  }
}

function readScores(answer: string): Record<ModerationCategory, number> {
  const form = parse(answer)
  return mapCategories((category) => {
    const score: unknown = form[category]
    if (typeof score === 'number' && score >= 0 && score <= 1) return score
    throw failed()
  })
}

function parse(answer: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(answer) }
  } catch (cause) {
    throw failed(cause)
  }
}

function failed(cause?: unknown): SvcError {
  return new SvcError('internal', 'the model gave no verdict on the text', {
    code: 'moderation_failed',
    ...(cause === undefined ? {} : { cause }),
  })
}

function mapCategories<T>(toValue: (category: ModerationCategory) => T): Record<ModerationCategory, T> {
  const entries = MODERATION_CATEGORIES.map((category) => [category, toValue(category)] as const)
  return Object.fromEntries(entries) as Record<ModerationCategory, T>
}
