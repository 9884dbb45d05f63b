import type { Classification, Classifier } from '../classifiers/classification.ts'
import { foldPrompt } from './fold-prompt.ts'
import { createLruCache } from './lru.ts'

/** Length of all prompts that a cache holds, in UTF-16 code units. */
const MAX_KEY_LENGTH = 8 * 1024 * 1024

/**
 * A classifier that remembers prompts. Prompts that differ only in case, or in the white space around them, are the
 * same. A remembered classification keeps its scores.
 */
export function createMemo(classifier: Classifier, { size }: { readonly size: number }): Classifier {
  const cache = createLruCache<Classification>({ maxEntries: size, maxKeyLength: MAX_KEY_LENGTH })
  let revision = classifier.revision?.()
  return {
    ...classifier,
    async classify(probe, call) {
      const current = classifier.revision?.()
      if (current !== revision) {
        cache.clear()
        revision = current
      }
      const key = foldPrompt(probe.text)
      const remembered = cache.get(key)
      if (remembered !== undefined) return remembered
      const found = await classifier.classify(probe, call)
      if (classifier.revision?.() === current) cache.set(key, { ...found, cached: true })
      return found
    },
  }
}
