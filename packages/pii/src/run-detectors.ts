import { SvcError } from '@svc/errors'
import { isPiiAction } from './action.ts'
import { systemClock } from './clock.ts'
import type { Detections, DetectOptions, Detector, JudgedDetection, ScanDocument } from './detector.ts'
import { type DetectorFailure, piiUnavailable } from './errors.ts'
import type { Clock, StopSignal } from './ports.ts'
import { isInsideCharacter } from './well-formed.ts'

/** Default time limit of a detector for a document, or for each step of one that tells its steps, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 10_000

interface RunLimits {
  readonly detectorTimeoutMs?: number | undefined
  readonly clock?: Clock | undefined
  readonly signal?: StopSignal | undefined
  readonly correlationId?: string | undefined
}

type Ran = { readonly ok: true; readonly found: Detections } | { readonly ok: false; readonly failure: DetectorFailure }

/** Abort reason of signals after the end, which no caller sees. Created once: an error costs more than a small scan. */
const OVER = new Error('the detectors are through')

/**
 * Runs all detectors and returns their findings in no particular order. Each runs to its end, also when another has
 * failed. Synchronous results need no waiting, no time limit and no signal; if all are synchronous, so is this call.
 *
 * @throws SvcError `pii_ner_unavailable` when any failed; the signal's reason when the caller aborted
 */
export function runDetectors(
  document: ScanDocument,
  detectors: readonly Detector[],
  limits: RunLimits,
): readonly JudgedDetection[] | Promise<readonly JudgedDetection[]> {
  const stop = new Stop()
  const started = detectors.map((detector) => {
    return start(detector, document, new DetectorContext(stop, limits.correlationId))
  })
  if (started.every(isOver)) return gather(started, limits)
  return waitForAll(started, limits, stop).then((ran) => gather(ran, limits))
}

function gather(ran: readonly Ran[], limits: RunLimits): readonly JudgedDetection[] {
  throwIfAborted(limits.signal)
  const [only] = ran
  if (ran.length === 1 && only?.ok) return only.found
  const failures = ran.flatMap((result) => (result.ok ? [] : [result.failure]))
  if (failures.length > 0) throw piiUnavailable(failures)
  return ran.flatMap((result) => (result.ok ? result.found : []))
}

/** @throws the signal's reason once it is aborted */
export function throwIfAborted(signal: StopSignal | undefined): void {
  if (signal?.aborted) throw signal.reason
}

/** Ends detectors. A signal and its table of listeners cost more than a small scan, and most detectors never read it. */
class Stop {
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller?.abort(reason)
  }
}

/** Context of one detector. */
class DetectorContext implements DetectOptions {
  readonly correlationId: string | undefined
  /** How many steps have ended. */
  steps = 0
  readonly #stop: Stop

  constructor(stop: Stop, correlationId: string | undefined) {
    this.#stop = stop
    this.correlationId = correlationId
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  onStep(): void {
    this.steps++
  }
}

/** A detector that is still running. */
interface Pending {
  readonly detector: Detector
  readonly document: ScanDocument
  readonly context: DetectorContext
  readonly found: Promise<Detections>
}

function isOver(started: Ran | Pending): started is Ran {
  return 'ok' in started
}

function start(detector: Detector, document: ScanDocument, context: DetectorContext): Ran | Pending {
  try {
    const found = detector.detect(document, context)
    return 'then' in found ? { detector, document, context, found } : judge(detector, document, found)
  } catch (error) {
    return toFailure(detector, error)
  }
}

/** The signal aborts at the end, so that no detector continues. */
async function waitForAll(
  started: readonly (Ran | Pending)[],
  { detectorTimeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, signal }: RunLimits,
  stop: Stop,
): Promise<Ran[]> {
  const leave = { handleEvent: () => stop.abort(signal?.reason) }
  signal?.addEventListener('abort', leave)
  try {
    const sleep = () => clock.sleep(detectorTimeoutMs, { signal: stop.signal }).then(() => undefined)
    // one timer for the first period of all detectors: only those that tell their steps have a second one
    const first = sleep()
    return await Promise.all(started.map(async (each) => (isOver(each) ? each : await waitFor(each, first, sleep))))
  } finally {
    signal?.removeEventListener('abort', leave)
    stop.abort(OVER)
  }
}

/**
 * Waits as long as a step has ended in every period, so that a step may take up to two of them.
 *
 * @param first the period that runs
 * @param sleep starts another period
 */
async function waitFor(
  { detector, document, context, found }: Pending,
  first: Promise<undefined>,
  sleep: () => Promise<undefined>,
): Promise<Ran> {
  try {
    for (let period = first, before = 0; ; period = sleep()) {
      // A detector may ignore its signal: the first result decides, and later ones are ignored.
      const result = await Promise.race([found, period])
      if (result !== undefined) return judge(detector, document, result)
      if (context.steps === before) return failed(detector, 'timeout')
      before = context.steps
    }
  } catch (error) {
    return toFailure(detector, error)
  }
}

function judge(detector: Detector, { text }: ScanDocument, found: Detections): Ran {
  return found.every((detection) => isPossible(detection, text)) ? { ok: true, found } : failed(detector, 'bad_span')
}

function toFailure(detector: Detector, error: unknown): Ran {
  if (SvcError.is(error) && error.code === 'pii_bad_span') return failed(detector, 'bad_span')
  return failed(detector, 'failed', SvcError.is(error) ? error.code : undefined)
}

function failed(detector: Detector, reason: DetectorFailure['reason'], code?: string): Ran {
  return { ok: false, failure: { detector: detector.name, reason, ...(code === undefined ? {} : { code }) } }
}

/**
 * Whether a span is valid: within the text, not empty, on the edges of characters, with a group, a score from 0 to 1
 * and all other fields.
 */
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
    score >= 0 &&
    score <= 1 &&
    isPiiAction(action)
  )
}
