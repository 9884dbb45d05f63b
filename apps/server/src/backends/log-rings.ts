import { createLogRing, type LogRing } from './log-ring.ts'

/**
 * Maximum number of models whose output is kept. Above it the ring of the model that started longest ago is dropped and
 * its readers end.
 */
const MAX_RINGS = 256

/** The log rings of all models by name. */
export interface LogRings {
  /** Names of models with output, in order. */
  names(): readonly string[]
  get(modelName: string): LogRing | undefined
  /** Gives the ring of a starting model, with the output of earlier processes. */
  open(modelName: string): LogRing
}

/** Creates an empty table of rings. */
export function createLogRings(maxRings = MAX_RINGS): LogRings {
  const rings = new Map<string, LogRing>()
  return {
    names: () => [...rings].flatMap(([name, ring]) => (ring.lines().length > 0 ? [name] : [])).sort(),
    get: (modelName) => rings.get(modelName),
    open(modelName) {
      const ring = rings.get(modelName) ?? createLogRing()
      // A Map keeps the order of insertion: the ring moves to the end.
      rings.delete(modelName)
      rings.set(modelName, ring)
      for (const [oldest, forgotten] of rings) {
        if (rings.size <= maxRings) break
        rings.delete(oldest)
        forgotten.end()
      }
      return ring
    },
  }
}
