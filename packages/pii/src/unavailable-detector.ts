import type { Detector } from './detector.ts'
import { piiUnavailable } from './errors.ts'

/**
 * Stands for a detector that a policy names and nobody has, or whose configuration is broken: it fails whenever it is
 * asked, so that the request is refused once the others have run.
 */
export function createUnavailableDetector(name: string): Detector {
  return {
    name,
    detect: () => Promise.reject(piiUnavailable([{ detector: name, reason: 'failed' }])),
  }
}
