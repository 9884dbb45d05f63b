import { NO_USAGE } from '../../inference/core/events.ts'
import type { InnerCaller } from '../../inference/core/inner-context.ts'
import type { TraceRecorder } from '../../monitoring/recorders.ts'
import type { FinishedTurn, TurnTimes } from '../ports.ts'
import { REALTIME_PATH } from './ask-part.ts'

/** Options of {@link noteTurn}. */
export interface TurnRecorders {
  /** The name of the pipeline. */
  readonly pipeline: string
  readonly traces: TraceRecorder
  /** Takes the seconds from the end of speech to the first sound. */
  readonly observeFirstSound: (seconds: number) => void
}

/** The stages of a turn in its trace. Each lasts until the next one begins. */
const PHASES: readonly (readonly [name: string, begins: keyof TurnTimes | undefined])[] = [
  ['transcription', undefined],
  ['language_model', 'transcribedMs'],
  ['speech', 'firstTokenMs'],
  ['playback', 'firstAudioMs'],
]

/** Records a turn that is over: a trace beside those of its stages, and the time to the first sound. */
export function noteTurn(
  { times, startedAt, failure }: FinishedTurn,
  caller: InnerCaller,
  { pipeline, traces, observeFirstSound }: TurnRecorders,
): void {
  if (times.firstAudioMs !== undefined) observeFirstSound(times.firstAudioMs / 1000)
  const route = { path: REALTIME_PATH, method: 'GET', usecase: 'realtime_audio' }
  const trace = traces.begin({ requestId: caller.requestId, route, principal: caller.principal, startedAt })
  if (trace === undefined) return
  trace.account = {
    requestedModel: pipeline,
    servedModel: { name: pipeline },
    // The stages have traces of their own, with what they used.
    usage: NO_USAGE,
    failure,
    upstreamStatus: undefined,
  }
  for (const [name, begins] of PHASES) {
    const at = begins === undefined ? 0 : times[begins]
    if (at !== undefined) trace.enter(name, startedAt + at)
  }
  if (times.firstTokenMs !== undefined) trace.noteFirstToken(startedAt + times.firstTokenMs)
  trace.end(undefined)
}
