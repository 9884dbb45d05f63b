import { HEARD_RATE } from '../ports.ts'
import type { FoundSpeech } from './speech-rules.ts'

/** Samples of a millisecond. */
export const MS = HEARD_RATE / 1000
/** Speech that ends so near to the end of the examined sound goes on. */
const OPEN_SECONDS = 0.1

/**
 * Puts what a detector has found in a stretch into the time of the session. Detectors are not trusted: what lies outside
 * of the stretch, or is no number, is left out.
 *
 * @param from position of the stretch, in samples
 * @param length of the stretch, in samples
 */
export function placeSpeech(
  segments: readonly { readonly start: number; readonly end: number }[],
  { from, length }: { readonly from: number; readonly length: number },
): readonly FoundSpeech[] {
  const seconds = length / HEARD_RATE
  return segments
    .flatMap(({ start, end }) => {
      if (!(start >= 0 && start < seconds) || !(end === 0 || end > start)) return []
      // an end of 0 says that the speech goes on
      const isOpen = end === 0 || end >= seconds - OPEN_SECONDS
      const toMs = (time: number): number => Math.round(from / MS + time * 1000)
      return [{ startMs: toMs(start), endMs: toMs(isOpen ? seconds : end), isOpen }]
    })
    .sort((one, other) => one.startMs - other.startMs)
}

const EDGE_MS = 100
const LEAST_CUT_MS = 1000

/**
 * Leaves out speech that nothing but the beginning of a stretch shows. Detectors begin without a memory: in music and
 * noise they find short speech there which they do not find when they have heard more.
 */
export function leaveOutEdge(found: readonly FoundSpeech[], fromMs: number): readonly FoundSpeech[] {
  return found.filter(({ startMs, endMs }) => startMs - fromMs > EDGE_MS || endMs - startMs >= LEAST_CUT_MS)
}
