import type { Detector } from '../detector.ts'
import type { DetectionSettings } from '../settings.ts'
import { unpackDetections } from './packed-detections.ts'
import type { PatternScanner } from './port.ts'

/** Where the patterns of large documents are looked for. */
export interface PatternOffload {
  readonly scanner: PatternScanner
  /** Longer documents go there, in UTF-16 code units. @default 65536 */
  readonly above?: number | undefined
}

const ABOVE = 64 * 1024

/**
 * A detector of patterns that has large documents looked at elsewhere. Small ones are not worth the way.
 *
 * @param local the detector of the same settings that works here
 */
export function offloadPatterns(
  local: Detector,
  settings: DetectionSettings,
  { scanner, above = ABOVE }: PatternOffload,
): Detector {
  // Lists of terms may be long, and patterns do not go by them.
  const sent: DetectionSettings = { ...settings, protectedTerms: undefined, protectedTermsFiles: undefined }
  return {
    name: local.name,
    async detect(document, { signal }) {
      if (document.text.length <= above) return local.detect(document, { signal })
      return unpackDetections(await scanner.scan({ settings: sent, document }, { signal }), { signal })
    },
  }
}
