import { SvcError } from '@svc/errors'
import { isPiiAction } from './action.ts'
import { systemClock } from './clock.ts'
import type { Detector, JudgedDetection, ScanDocument } from './detector.ts'
import { type DetectorFailure, piiUnavailable } from './errors.ts'
import type { Clock } from './ports.ts'
import { isInsideCharacter } from './well-formed.ts'

/** The most a detector may take for a document unless told otherwise, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 10_000

interface RunLimits {
  readonly detectorTimeoutMs?: number | undefined
  readonly clock?: Clock | undefined
  readonly signal?: AbortSignal | undefined
}

type Ran =
  | { readonly ok: true; readonly found: readonly JudgedDetection[] }
  | { readonly ok: false; readonly failure: DetectorFailure }

/** Why signals abort once everything is over; nobody sees it. Made once: an error costs more than a small scan. */
const OVER = new Error('the detectors are through')

/**
 * What all detectors find, in no particular order. Each runs to its end, also when another has failed.
 *
 * @throws SvcError `pii_ner_unavailable` when any failed; the signal's reason when the caller has gone
 */
export async function runDetectors(
  document: ScanDocument,
  detectors: readonly Detector[],
  { detectorTimeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, signal }: RunLimits,
): Promise<JudgedDetection[]> {
  // They start together, so that one clock is the limit of each. Aborted when all is over, so that nobody works on.
  const over = new AbortController()
  const stop = over.signal
  // In place of `AbortSignal.any`, which takes longer than all the rest of a small request.
  const leave = () => over.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    const late = clock.sleep(detectorTimeoutMs, { signal: stop }).then(() => undefined)
    const ran = await Promise.all(detectors.map((detector) => runDetector(document, detector, { stop, late })))
    signal?.throwIfAborted()
    const failures = ran.flatMap((result) => (result.ok ? [] : [result.failure]))
    if (failures.length > 0) throw piiUnavailable(failures)
    return ran.flatMap((result) => (result.ok ? result.found : []))
  } finally {
    signal?.removeEventListener('abort', leave)
    over.abort(OVER)
  }
}

interface RunContext {
  readonly stop: AbortSignal
  /** Resolves when time is up. */
  readonly late: Promise<undefined>
}

async function runDetector(document: ScanDocument, detector: Detector, { stop, late }: RunContext): Promise<Ran> {
  const failed = (reason: DetectorFailure['reason'], code?: string): Ran => {
    return { ok: false, failure: { detector: detector.name, reason, ...(code === undefined ? {} : { code }) } }
  }
  try {
    const detecting = (async () => detector.detect(document, { signal: stop }))()
    // A detector may ignore its signal: whichever is first decides, and what the others do later is nobody's concern.
    const found = await Promise.race([detecting, late])
    if (found === undefined) return failed('timeout')
    return found.every((detection) => isPossible(detection, document.text)) ? { ok: true, found } : failed('bad_span')
  } catch (error) {
    if (SvcError.is(error) && error.code === 'pii_bad_span') return failed('bad_span')
    return failed('failed', SvcError.is(error) ? error.code : undefined)
  }
}

/** A span within the text, not empty, on the edges of characters, with a group and everything else it needs. */
function isPossible({ start, end, group, source, score, action }: JudgedDetection, text: string): boolean {
  return (
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    start >= 0 &&
    start < end &&
    end <= text.length &&
    !isInsideCharacter(text, start) &&
    !isInsideCharacter(text, end) &&
    group !== '' &&
    (source === 'ner' || source === 'pattern') &&
    Number.isFinite(score) &&
    isPiiAction(action)
  )
}
