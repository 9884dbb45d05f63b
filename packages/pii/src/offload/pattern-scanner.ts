import type { SliceOptions } from '@svc/json'
import { createDetector } from '../create-detector.ts'
import type { Detector } from '../detector.ts'
import type { DetectionSettings } from '../settings.ts'
import { packDetections } from './packed-detections.ts'
import { unpackDocument } from './packed-document.ts'
import type { PatternScanner } from './port.ts'

/** How {@link createPatternScanner} works. */
export interface PatternScannerOptions {
  /** Detectors that stay compiled, the ones last used. @default 16 */
  readonly maxDetectors?: number | undefined
  /** How long a search may go on before the thread reads its messages, one that ends it among them. @default 5 ms */
  readonly slices?: Omit<SliceOptions, 'signal'> | undefined
}

const MAX_DETECTORS = 16

/**
 * A scanner that works where it is made, such as on a worker thread, and keeps what it has compiled. Its `scan` rejects
 * with `pii_config`, kind `invalid_request`, for settings that name no patterns or wrong ones.
 */
export function createPatternScanner({
  maxDetectors = MAX_DETECTORS,
  slices,
}: PatternScannerOptions = {}): PatternScanner {
  // By what they look for, the one last used at the end: equal settings are the same detector, whoever has them.
  const compiled = new Map<string, Detector>()

  function detectorOf(settings: DetectionSettings): Detector {
    const key = JSON.stringify(settings)
    const detector = compiled.get(key) ?? createDetector({ name: 'patterns', settings, slices })
    compiled.delete(key)
    compiled.set(key, detector)
    const [oldest] = compiled.keys()
    if (compiled.size > maxDetectors && oldest !== undefined) compiled.delete(oldest)
    return detector
  }

  return {
    async scan({ settings, document }, options) {
      options.signal.throwIfAborted()
      return packDetections(await detectorOf(settings).detect(unpackDocument(document), options))
    },
  }
}
