import type { Detector } from '../detector.ts'
import { NAMED_BUILTINS } from './catalogue.ts'
import { createPatternTier, type PatternDetectorOptions } from './detector.ts'
import { refuseUnknownGroups } from './known-groups.ts'

/**
 * Creates the tier that searches patterns (§2.11): the named built-ins and the operator's own. It runs in this process,
 * over the original text, and also finds secrets split over adjacent parts of one message. Every match has the score 1.
 *
 * The ways to find built-ins are loaded by the first search of a detector that names one: that search returns a
 * promise.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`: an unknown built-in, a pattern without a name, one that the
 *   grammar refuses (with position and reason), neither built-ins nor patterns, too many patterns, an unknown action, a
 *   minimum score of a group that is never reported
 */
export function createPatternDetector(options: PatternDetectorOptions): Detector {
  // Checks the settings now; it searches everything but built-ins.
  const early = createPatternTier(options, NAMED_BUILTINS)
  refuseUnknownGroups(options.settings)
  if (options.settings.builtins === undefined || options.settings.builtins.length === 0) return early
  let whole: Detector | undefined
  let loading: Promise<Detector> | undefined
  const load = async (): Promise<Detector> => {
    try {
      const { BUILTINS } = await import('./full-catalogue.ts')
      whole = createPatternTier(options, BUILTINS)
      return whole
    } finally {
      // after a failure the next search tries again
      loading = undefined
    }
  }
  return {
    name: options.name,
    detect(document, call) {
      if (whole !== undefined) return whole.detect(document, call)
      loading ??= load()
      return loading.then((detector) => detector.detect(document, call))
    },
  }
}
