import type { ClientEvent } from './events.ts'
import { toFields } from './events.ts'
import type { Transport } from './link.ts'
import { EVENT_RATE } from './pcm.ts'

/** Ways to find the end of a turn; `pipeline` for that of the pipeline. */
export const DETECTIONS = ['pipeline', 'server_vad', 'semantic_vad'] as const
/** How soon a turn counts as ended; only for `semantic_vad`. */
export const EAGERNESS = ['auto', 'low', 'medium', 'high'] as const

/** What the viewer chooses for a conversation. */
export interface TalkSettings {
  /** Turns begin and end with a press; else the server finds them. */
  readonly isPushToTalk: boolean
  readonly detection: (typeof DETECTIONS)[number]
  readonly eagerness: (typeof EAGERNESS)[number]
  /** Whether speech interrupts the voice. */
  readonly mayInterrupt: boolean
  /** Whether answers are text alone. */
  readonly isSilent: boolean
  /** Empty for that of the pipeline. */
  readonly voice: string
  /** Empty for those of the pipeline. */
  readonly instructions: string
}

/** What a session is told beside the settings. */
export interface SessionFacts {
  readonly transport: Transport
  /** The session as the server began it. */
  readonly session: Readonly<Record<string, unknown>>
  /** The model of the pipeline that writes down speech; empty for none. */
  readonly transcription: string
  /** The settings that the session has already. */
  readonly previous?: TalkSettings | undefined
}

/** Writes the settings as an update of the session. */
export function toSessionUpdate(settings: TalkSettings, facts: SessionFacts): ClientEvent {
  const { previous } = facts
  const isTold = (value: string, before: string | undefined) => (before === undefined ? value !== '' : value !== before)
  const voice = settings.voice.trim()
  // sound over WebRTC is in the format of the call
  const format = facts.transport === 'websocket' ? { format: { type: 'audio/pcm', rate: EVENT_RATE } } : {}
  return {
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: [settings.isSilent ? 'text' : 'audio'],
      ...(isTold(settings.instructions, previous?.instructions) && { instructions: settings.instructions }),
      audio: {
        input: { ...format, ...toTranscription(facts), turn_detection: toTurnDetection(settings, facts) },
        output: { ...format, ...(voice !== '' && isTold(voice, previous?.voice.trim()) && { voice }) },
      },
    },
  }
}

function toTurnDetection(
  { isPushToTalk, detection, eagerness, mayInterrupt }: TalkSettings,
  { session }: SessionFacts,
): object | null {
  if (isPushToTalk) return null
  const own = toFields(toFields(toFields(session.audio).input).turn_detection)
  // a pipeline without its own way is given the usual one
  const common = { type: 'server_vad', create_response: true, interrupt_response: mayInterrupt }
  if (detection === 'pipeline') return { ...common, ...own, interrupt_response: mayInterrupt }
  return { ...common, type: detection, ...(detection === 'semantic_vad' && { eagerness }) }
}

/** Captions of the viewer need a model that writes down speech. */
function toTranscription({ session, transcription }: SessionFacts): object {
  const input = toFields(toFields(session.audio).input)
  const isSet = typeof input.transcription === 'object' && input.transcription !== null
  return isSet || transcription === '' ? {} : { transcription: { model: transcription } }
}
