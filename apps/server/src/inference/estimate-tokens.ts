import type { JsonDocument, JsonNode } from '@svc/json'

/** Fields of the wire formats that limit the answer, and those of `options` in the alternate ecosystem. */
const LIMITS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const
const BYTES_PER_TOKEN = 4
/** An answer whose length no field limits. */
const OPEN_ANSWER = 256
/** Larger limits say nothing about the answer. */
const MAX_ANSWER = 1_000_000

/**
 * Roughly how many tokens a request will use: its body, and the answer as far as the body limits it. Quotas reserve that
 * many until the figures are known.
 *
 * @param options.isGenerated whether the answer is text that a model writes
 */
export function estimateTokens(document: JsonDocument, { isGenerated }: { readonly isGenerated: boolean }): number {
  const prompt = Math.ceil(document.bytes.length / BYTES_PER_TOKEN)
  return isGenerated ? prompt + estimateAnswer(document) : prompt
}

function estimateAnswer({ root }: JsonDocument): number {
  const limits = [...LIMITS.map((name) => root.get(name)), root.get('options')?.get('num_predict')]
  const limit = limits.map(toLimit).find((value) => value !== undefined)
  return limit ?? OPEN_ANSWER
}

function toLimit(node: JsonNode | undefined): number | undefined {
  if (node?.kind !== 'number') return undefined
  const value = Number(node.toValue())
  return value > 0 && value <= MAX_ANSWER ? Math.ceil(value) : undefined
}
