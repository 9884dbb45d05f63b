import { library, type Normalizer } from './library.ts'
import { createTrackedTextBuilder, prependTracked, sliceTracked, type TrackedText } from './tracked-text.ts'

/** A change of a text that keeps track of the source positions. */
export type TrackedStep = (input: TrackedText) => TrackedText

/**
 * A character with its combining marks. No normalization reaches beyond: letters and the marks after them, runs of
 * Hangul letters, half-width katakana and its sound marks.
 */
const CLUSTER = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+[\p{M}\uff9e\uff9f]*|[\s\S][\p{M}\uff9e\uff9f]*/gu
const MAX_REMEMBERED = 20_000
const MAX_REMEMBERED_UNITS = 16

/** Creates the steps of a normalizer, in order; empty without a normalizer. */
export function createNormalizeSteps(normalizer: Normalizer | null): readonly TrackedStep[] {
  if (normalizer === null) return []
  if (normalizer instanceof library.SequenceNormalizer) return normalizer.normalizers.flatMap(createNormalizeSteps)
  if (normalizer instanceof library.StripNormalizer) {
    const { strip_left: left = false, strip_right: right = false } = normalizer.config
    return [(input) => stripTracked(input, { left, right })]
  }
  if (normalizer instanceof library.PrependNormalizer) {
    const { prepend } = normalizer.config
    return [(input) => prependTracked(prepend, input)]
  }
  if (normalizer instanceof library.ReplaceNormalizer) {
    const { pattern, config } = normalizer
    return pattern === null ? [] : [(input) => replaceTracked(input, pattern, String(config.content ?? ''))]
  }
  return [normalizeByCluster((text) => normalizer.normalize(text))]
}

/**
 * Normalizes one cluster after the other, for changes that look no further than a character with its marks. The result
 * of a cluster has the cluster's source range.
 */
export function normalizeByCluster(normalize: (text: string) => string): TrackedStep {
  const remembered = new Map<string, string>()
  const normalizeCluster = (cluster: string): string => {
    const known = remembered.get(cluster)
    if (known !== undefined) return known
    const normalized = normalize(cluster)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    if (cluster.length <= MAX_REMEMBERED_UNITS) remembered.set(cluster, normalized)
    return normalized
  }
  return (input) => {
    const builder = createTrackedTextBuilder()
    for (const { 0: cluster, index } of input.text.matchAll(CLUSTER)) {
      const end = index + cluster.length
      const normalized = normalizeCluster(cluster)
      if (normalized === cluster) builder.copy(input, index, end)
      else builder.add(normalized, input.starts[index] ?? 0, input.ends[end - 1] ?? 0)
    }
    return builder.build()
  }
}

/** Replaces every match of a global expression with `content`. */
export function replaceTracked(input: TrackedText, pattern: RegExp, content: string): TrackedText {
  const builder = createTrackedTextBuilder()
  let done = 0
  for (const { 0: found, index } of input.text.matchAll(pattern)) {
    const end = index + found.length
    const start = input.starts[index] ?? input.ends.at(-1) ?? 0
    builder.copy(input, done, index)
    builder.add(content, start, found === '' ? start : (input.ends[end - 1] ?? start))
    done = end
  }
  builder.copy(input, done, input.text.length)
  return builder.build()
}

/** Removes blanks at the ends. */
export function stripTracked(
  input: TrackedText,
  { left, right }: { readonly left: boolean; readonly right: boolean },
): TrackedText {
  const start = left ? input.text.length - input.text.trimStart().length : 0
  const end = right ? input.text.trimEnd().length : input.text.length
  return sliceTracked(input, Math.min(start, end), end)
}
