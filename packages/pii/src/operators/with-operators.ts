import type { Detections, Detector } from '../detector.ts'
import type { WriteMask } from './operators.ts'

/** Adds to the detections of a detector the writers of their groups. */
export function withOperators(detector: Detector, writers: ReadonlyMap<string, WriteMask>): Detector {
  if (writers.size === 0) return detector
  const add = (found: Detections): Detections =>
    found.map((detection) => {
      const writeMask = writers.get(detection.group)
      return writeMask === undefined ? detection : { ...detection, writeMask }
    })
  return {
    name: detector.name,
    detect(document, options) {
      const found = detector.detect(document, options)
      return 'then' in found ? found.then(add) : add(found)
    },
  }
}
