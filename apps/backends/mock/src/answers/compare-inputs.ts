import { MODEL_NAME } from './model-name.ts'

const THRESHOLD = 0.5

/** Compares two inputs: they belong to the same person when they are the same text. */
export function compareInputs(one: string, other: string, threshold: number) {
  const distance = one === other ? 0 : 1
  const limit = threshold || THRESHOLD
  return {
    verified: distance <= limit,
    distance,
    threshold: limit,
    confidence: 100 * (1 - distance),
    model: MODEL_NAME,
    processingTimeMs: 1,
  }
}
