import type { Detections, Detector } from '../detector.ts'
import type { OperatorWriter } from './operators.ts'

/** Adds to the detections of a detector the writers of their groups. */
export function withOperators(detector: Detector, writers: ReadonlyMap<string, OperatorWriter>): Detector {
  if (writers.size === 0) return detector
  const add = (found: Detections): Detections =>
    found.map((detection) => {
      const writer = writers.get(detection.group)
      return writer === undefined ? detection : { ...detection, ...writer }
    })
  return {
    name: detector.name,
    detect(document, options) {
      const found = detector.detect(document, options)
      return 'then' in found ? found.then(add) : add(found)
    },
  }
}
