import type { Detector } from './detector.ts'

/** Combines several tiers into one detector: a detector model with patterns beside its recogniser runs both (§2.11). */
export function combineDetectors(name: string, tiers: readonly Detector[]): Detector {
  return {
    name,
    async detect(document, options) {
      const found = await Promise.all(tiers.map(async (tier) => await tier.detect(document, options)))
      return found.flat()
    },
  }
}
