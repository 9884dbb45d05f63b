import type { MadeSpeech, PipelineStages, StageCall } from '../ports.ts'
import { answer } from './answer.ts'
import type { Item } from './conversation.ts'
import { failedStage } from './event-error.ts'
import { listServerTools } from './list-server-tools.ts'
import type { ReadHistory } from './read-history.ts'
import type { Response, ResponseEnd } from './response.ts'
import type { RateLimit, SessionContext } from './session-context.ts'
import { createTurnClock } from './turn-clock.ts'
import { createVoice } from './voice.ts'
import type { VoiceOutput } from './voice-output.ts'

/** Parts of {@link runResponse}. */
export interface RunParts {
  readonly context: SessionContext
  readonly voiceOutput: VoiceOutput
  readonly readHistory: ReadHistory
  readonly readLimits: (options: { readonly signal: AbortSignal }) => Promise<readonly RateLimit[]>
}

/** Lets the models answer items in the name of the caller. @throws the failure of a stage */
export async function runResponse(
  response: Response,
  items: readonly Item[],
  { context, voiceOutput, readHistory, readLimits }: RunParts,
): Promise<ResponseEnd> {
  const { stages, conversation, clock, emit } = context
  const signal = AbortSignal.any([response.signal, context.signal])
  const turn = await context.begin({ signal })
  const monotonic = (): number => clock.monotonic()
  const times = createTurnClock(items.at(-1)?.saidAt ?? monotonic(), monotonic)
  void response.ended.then((end) => stages.noteTurn(times.finish(end), turn.caller))
  const call: StageCall = { caller: turn.caller, signal: turn.signal }
  try {
    const limits = await readLimits({ signal: turn.signal })
    signal.throwIfAborted()
    if (limits.length > 0) await emit({ type: 'rate_limits.updated', rate_limits: limits })
    return await answer({
      response,
      stages,
      call,
      items,
      openVoice: (message) =>
        createVoice({
          speak: (text, speaking) => speak(text, response, { stages, call: speaking }),
          call,
          sink: voiceOutput.openSink({ response, message, times, signal: call.signal }),
          item: message.item,
          byClause: stages.facts.speaksByClause,
        }),
      openSink: (message) => voiceOutput.openSink({ response, message, times, signal: call.signal }),
      listTools: (event) => listServerTools(conversation, event, emit),
      onHeard: () => times.note('transcribedMs'),
      onText: () => times.note('firstTokenMs'),
      readHistory,
      onClassified({ latencyMs: latency_ms, ...result }) {
        void emit({ type: 'localai.classifier.result', response_id: response.id, ...result, latency_ms })
      },
    })
  } finally {
    turn.close()
  }
}

async function speak(
  text: string,
  { settings }: Response,
  { stages, call }: { readonly stages: PipelineStages; readonly call: StageCall },
): Promise<MadeSpeech> {
  try {
    return await stages.speak(text, settings.output, call)
  } catch (error) {
    throw failedStage('tts_error', error)
  }
}
