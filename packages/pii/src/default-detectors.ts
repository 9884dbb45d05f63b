import type { Detector } from './detector.ts'
import { createPatternDetector } from './pattern/late-detector.ts'

let made: readonly Detector[] | undefined

/**
 * The detectors of calls that name none: every built-in secret and structured text, masked, without a recogniser of
 * names. They are made once.
 */
export function defaultDetectors(): readonly Detector[] {
  made ??= [createPatternDetector({ name: 'built-ins', settings: { builtins: ['all'] } })]
  return made
}
