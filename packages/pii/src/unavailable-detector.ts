import type { Detector } from './detector.ts'
import { piiUnavailable } from './errors.ts'

/**
 * Creates a stand-in for a detector that a policy names but that does not exist, or is misconfigured: it always fails,
 * so that the request is refused once the others have run.
 */
export function createUnavailableDetector(name: string): Detector {
  return {
    name,
    detect: () => Promise.reject(piiUnavailable([{ detector: name, reason: 'failed' }])),
  }
}
