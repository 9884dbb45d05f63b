import type { SliceOptions } from '@svc/json'
import { createDetector } from '../create-detector.ts'
import type { Detector } from '../detector.ts'
import type { DetectionSettings } from '../settings.ts'
import { packDetections } from './packed-detections.ts'
import { unpackDocument } from './packed-document.ts'
import type { PatternScanner } from './port.ts'

/** Options of {@link createPatternScanner}. */
export interface PatternScannerOptions {
  /** Most compiled detectors in the cache of recently used ones. @default 16 */
  readonly maxDetectors?: number | undefined
  /** Bounds the time of a search before the thread reads its messages, including one that ends it. @default 5 ms */
  readonly slices?: Omit<SliceOptions, 'signal'> | undefined
}

const MAX_DETECTORS = 16

/**
 * Creates a scanner that works on the current thread, such as a worker thread, and caches compiled detectors. Its
 * `scan` rejects with `pii_config`, kind `invalid_request`, for settings without patterns or with wrong ones.
 */
export function createPatternScanner({
  maxDetectors = MAX_DETECTORS,
  slices,
}: PatternScannerOptions = {}): PatternScanner {
  // By their settings, the most recently used last: equal settings share one detector.
  const compiled = new Map<string, Detector>()

  function findDetector(settings: DetectionSettings): Detector {
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
      return packDetections(await findDetector(settings).detect(unpackDocument(document), options))
    },
  }
}
