import { createLogRing, type LogRing } from './log-ring.ts'

/** Models whose output is kept; beyond it the one that started longest ago is forgotten. */
const MAX_RINGS = 256

/** The log rings of all models by name. */
export interface LogRings {
  get(modelName: string): LogRing | undefined
  /** The ring of a model that starts; what an earlier process wrote is still in it. */
  open(modelName: string): LogRing
}

/** No rings yet. */
export function createLogRings(maxRings = MAX_RINGS): LogRings {
  const rings = new Map<string, LogRing>()
  return {
    get: (modelName) => rings.get(modelName),
    open(modelName) {
      const ring = rings.get(modelName) ?? createLogRing()
      // A Map keeps the order of insertion: the ring moves to the end.
      rings.delete(modelName)
      rings.set(modelName, ring)
      for (const oldest of rings.keys()) {
        if (rings.size <= maxRings) break
        rings.delete(oldest)
      }
      return ring
    },
  }
}
