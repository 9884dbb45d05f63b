import type { Clock } from '../../ports.ts'
import type { TurnTakerParts } from '../ports.ts'
import { callWithin } from './call-within.ts'
import { leaveOutEdge, MS, placeSpeech } from './find-speech.ts'
import { createRetries } from './retries.ts'
import { CONTEXT, type SoundFeed } from './sound-feed.ts'
import type { FoundSpeech, SpeechRules } from './speech-rules.ts'

/** Has the sound examined, piece by piece, and tells the rules what is in it. */
export interface SpeechWatch {
  /** Examines what is due. */
  goOn(): void
  /** Drops what is not examined. */
  forget(): void
}

export interface SpeechWatchParts {
  readonly rules: SpeechRules
  readonly feed: SoundFeed
  readonly detectSpeech: TurnTakerParts['detectSpeech']
  readonly failed: (error: unknown) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Between two calls of the detector while nothing changes, in samples. */
const TICK = 300 * MS
/** Between two calls while speech begins or ends. */
const FAST_TICK = 100 * MS
/** Without a call, silence is counted in such steps. */
const SILENT_TICK = 20 * MS
/** A sound that lasts for so long without being found to be speech is none. */
const ONSET = 500 * MS
/** Sound before the first loud frame that the detector is given. */
const LEAD = 400 * MS
/** Most unexamined sound of one call. */
const MAX_STEP = 1000 * MS
/** So much sound waits for the text of a pause. */
const BEHIND = 1000 * MS
/** A call that takes longer has failed. */
const CALL_LIMIT_MS = 5000

export function createSpeechWatch({ rules, feed, detectSpeech, failed, clock, signal }: SpeechWatchParts): SpeechWatch {
  let running: AbortController | undefined
  /** Whether speech went on at the end of the examined sound. */
  let isOpen = false
  /** Nothing before this position is known. */
  let begin = 0
  const retries = createRetries(failed)

  function goOn(): void {
    while (running === undefined && !signal.aborted && isDue()) {
      const to = Math.min(feed.end, feed.examined + MAX_STEP)
      const isOnlyEcho = feed.prepare(to)
      const isNeeded = isCallNeeded() && !(isOnlyEcho && rules.phase === 'quiet')
      if (isNeeded) void examine(to)
      else report(to, [])
    }
    feed.tidy()
  }

  function isDue(): boolean {
    if (rules.phase === 'off') {
      feed.examined = feed.end
      return false
    }
    const pending = feed.end - feed.examined
    // what follows a pause is not looked at before it is known what was said
    if (rules.isAsking && rules.phase === 'pause' && pending > BEHIND) return false
    if (!isCallNeeded()) return pending >= SILENT_TICK
    return pending >= findTick({ rules, feed }) && feed.end >= retries.next
  }

  /** Whether the detector must be asked: silence behind silence needs no model. */
  function isCallNeeded(): boolean {
    return isOpen || rules.phase === 'speech' || rules.phase === 'doubt' || feed.level.lastActive > feed.examined
  }

  function report(to: number, speech: readonly FoundSpeech[]): void {
    feed.examined = Math.max(feed.examined, to)
    isOpen = speech.at(-1)?.isOpen === true
    rules.examined({ toMs: to / MS, speech, mayBegin: mayBegin(feed) })
  }

  async function examine(to: number): Promise<void> {
    const call = new AbortController()
    running = call
    const leave = (): void => call.abort(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    const isCurrent = (): boolean => running === call && !signal.aborted
    try {
      const { from, samples } = feed.read(findStart({ rules, feed }), to)
      const found = await callWithin((bound) => detectSpeech(samples, { signal: bound }), {
        signal: call.signal,
        clock,
        limitMs: CALL_LIMIT_MS,
      })
      if (!isCurrent()) return
      retries.succeeded()
      const speech = placeSpeech(found, { from, length: samples.length })
      const isCut = rules.phase === 'quiet' && from > begin
      report(to, isCut ? leaveOutEdge(speech, from / MS) : speech)
    } catch (error) {
      if (!isCurrent()) return
      retries.failed(error, feed.end)
    } finally {
      signal.removeEventListener('abort', leave)
      if (running === call) running = undefined
    }
    goOn()
  }

  return {
    goOn,
    forget() {
      running?.abort()
      running = undefined
      isOpen = false
      feed.forget()
      begin = feed.end
    },
  }
}

type Watched = Pick<SpeechWatchParts, 'rules' | 'feed'>

function findTick({ rules, feed }: Watched): number {
  if (rules.phase === 'doubt') return FAST_TICK
  const isEnding = rules.phase === 'speech' && feed.level.lastActive < feed.end - FAST_TICK
  return isEnding || (rules.phase !== 'speech' && mayBegin(feed)) ? FAST_TICK : TICK
}

/** Whether a sound has just begun: detectors know speech only after a while. */
function mayBegin({ level, examined, end }: SoundFeed): boolean {
  return level.activeSince > examined - ONSET && level.lastActive > end - FAST_TICK
}

/** The detector knows nothing of the sound before: it is given a part again. */
function findStart({ rules, feed: { level, examined } }: Watched): number {
  const start = examined - CONTEXT
  // the level may be of later sound, where much is to be examined
  const isKnown = rules.phase === 'quiet' && level.activeSince <= examined
  return isKnown ? Math.max(start, level.activeSince - LEAD) : start
}
