import type { Detections, Detector, ScanDocument } from '../detector.ts'
import { findUnknownGroup } from '../pattern/known-groups.ts'
import type { DetectionSettings } from '../settings.ts'
import { unpackDetections } from './packed-detections.ts'
import { packDocument } from './packed-document.ts'
import type { PatternScanner } from './port.ts'

/** Options of searching the patterns of large documents elsewhere. */
export interface PatternOffload {
  readonly scanner: PatternScanner
  /** Length above which documents go there, in UTF-16 code units. @default 65536 */
  readonly above?: number | undefined
}

const ABOVE = 64 * 1024

/**
 * Wraps a detector of patterns: large documents are scanned elsewhere, small ones here.
 *
 * @param local the detector of the same settings that works here
 */
export function offloadPatterns(
  local: Detector,
  settings: DetectionSettings,
  { scanner, above = ABOVE }: PatternOffload,
): Detector {
  const sent = toPatternSettings(settings)

  async function detectElsewhere(document: ScanDocument, signal: AbortSignal): Promise<Detections> {
    const task = { settings: sent, document: await packDocument(document, { signal }) }
    return unpackDetections(await scanner.scan(task, { signal }), { signal })
  }

  return {
    name: local.name,
    // The signal is not read when the detector may answer at once.
    detect: (document, options) =>
      document.text.length > above ? detectElsewhere(document, options.signal) : local.detect(document, options),
  }
}

/** The settings that patterns use: neither those of a recogniser nor what is done with findings later. */
function toPatternSettings(settings: DetectionSettings): DetectionSettings {
  const { entityMinScores = {}, ...rest } = settings
  const known = Object.entries(entityMinScores).filter(([group]) => findUnknownGroup([group], settings) === undefined)
  return {
    ...rest,
    entityMinScores: Object.fromEntries(known),
    protectedTerms: undefined,
    protectedTermsFiles: undefined,
    allowList: undefined,
    allowListFiles: undefined,
    denyListFiles: undefined,
    operators: undefined,
  }
}
