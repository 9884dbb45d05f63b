import type {
  RealtimeResponseFields,
  RealtimeSessionFields,
  RealtimeTool,
  RealtimeToolChoice,
  RealtimeTurnDetection,
} from '@svc/wire/realtime'
import { isVoiceName } from '../../inference/documents/voice-name.ts'
import type { PipelineFacts, TurnDetection } from '../ports.ts'
import { badEvent } from './event-error.ts'
import { type SoundFormat, toSoundFormat, USUAL_FORMAT } from './sound-format.ts'

/** How responses are made. */
export interface AnswerSettings {
  readonly instructions: string
  readonly modality: 'text' | 'audio'
  readonly maxOutputTokens: number | 'inf'
  readonly tools: readonly RealtimeTool[]
  readonly toolChoice: RealtimeToolChoice
  readonly temperature: number | undefined
  readonly output: { readonly format: SoundFormat; readonly voice: string; readonly speed: number }
}

/** The settings of a session, which its client changes. */
export interface SessionSettings {
  readonly type: 'realtime' | 'transcription'
  readonly answers: AnswerSettings
  readonly format: SoundFormat
  /** Null where the client does not want to see what is written down. */
  readonly transcription: { readonly language?: string | undefined; readonly prompt?: string | undefined } | null
  readonly turnDetection: TurnDetection | null
}

/** Most characters of the tools of a session or a response: a session keeps them to its end. */
const MAX_TOOLS_LENGTH = 1024 * 1024

/** The settings that a session begins with. */
export function firstSettings(facts: PipelineFacts): SessionSettings {
  return {
    type: 'realtime',
    answers: {
      instructions: '',
      modality: facts.speaks || facts.isAnyToAny ? 'audio' : 'text',
      maxOutputTokens: 'inf',
      tools: [],
      toolChoice: 'auto',
      temperature: undefined,
      output: { format: USUAL_FORMAT, voice: facts.voice, speed: 1 },
    },
    format: USUAL_FORMAT,
    transcription: {},
    turnDetection: facts.detectsSpeech ? facts.turnDetection : null,
  }
}

/** What a change of settings must respect. */
export interface UpdateRules {
  readonly facts: PipelineFacts
  /** The names of the model. */
  readonly models: readonly string[]
  /** Whether the model has spoken: its voice stays then. */
  readonly hasSpoken: boolean
  /** Whether the session has begun: its type stays then. */
  readonly hasBegun: boolean
}

/**
 * Changes the settings of a session. Fields that are absent stay.
 *
 * @throws {SvcError} `session_update_error`
 */
export function updateSettings(
  old: SessionSettings,
  fields: RealtimeSessionFields,
  rules: UpdateRules,
): SessionSettings {
  const type = fields.type ?? old.type
  if (rules.hasBegun && type !== old.type) throw refused('session.type', 'cannot change')
  if (fields.model != null && !rules.models.includes(fields.model)) throw refused('session.model', 'cannot change')
  if (type === 'transcription' && !rules.facts.transcribes)
    throw refused('session.type', 'the pipeline has no model that writes down speech')
  const { input } = fields.audio ?? {}
  const format = input?.format ?? fields.input_audio_format
  return {
    type,
    answers: updateAnswers(old.answers, fields, rules),
    format: format == null ? old.format : toSoundFormat(format),
    transcription: updateTranscription(old, fields),
    turnDetection: updateTurnDetection(old, fields, rules),
  }
}

/**
 * Gives the settings of one response.
 *
 * @throws {SvcError} `session_update_error`
 */
export function updateAnswers(
  old: AnswerSettings,
  fields: RealtimeResponseFields & Pick<RealtimeSessionFields, 'speed'>,
  { facts, hasSpoken }: Pick<UpdateRules, 'facts' | 'hasSpoken'>,
): AnswerSettings {
  const { output } = fields.audio ?? {}
  if (fields.tools != null && JSON.stringify(fields.tools).length > MAX_TOOLS_LENGTH)
    throw refused('tools', 'have more than 1 MiB')
  const modality = toModality(fields.output_modalities ?? fields.modalities) ?? old.modality
  const canSpeak = facts.speaks || facts.isAnyToAny
  if (modality === 'audio' && !canSpeak) throw refused('output_modalities', 'the pipeline has no model that speaks')
  const voice = toVoice(output?.voice ?? fields.voice) ?? old.output.voice
  if (hasSpoken && voice !== old.output.voice)
    throw refused('audio.output.voice', 'cannot change after the model has spoken')
  if (voice !== old.output.voice && voice !== facts.voice && !isVoiceName(voice))
    throw refused('audio.output.voice', 'must be the name of a voice')
  const format = output?.format ?? fields.output_audio_format
  return {
    instructions: fields.instructions ?? old.instructions,
    modality,
    maxOutputTokens: fields.max_output_tokens ?? fields.max_response_output_tokens ?? old.maxOutputTokens,
    tools: fields.tools ?? old.tools,
    toolChoice: fields.tool_choice ?? old.toolChoice,
    temperature: fields.temperature ?? old.temperature,
    output: {
      format: format == null ? old.output.format : toSoundFormat(format),
      voice,
      speed: output?.speed ?? fields.speed ?? old.output.speed,
    },
  }
}

function toModality(words: readonly ('text' | 'audio')[] | null | undefined): 'text' | 'audio' | undefined {
  if (words == null) return undefined
  return words.includes('audio') ? 'audio' : 'text'
}

function toVoice(voice: string | { readonly id: string } | null | undefined): string | undefined {
  return typeof voice === 'object' ? voice?.id : voice
}

function updateTranscription(old: SessionSettings, fields: RealtimeSessionFields): SessionSettings['transcription'] {
  const { input } = fields.audio ?? {}
  const given = input?.transcription === undefined ? fields.input_audio_transcription : input.transcription
  if (given === undefined) return old.transcription
  return given === null ? null : { language: given.language ?? undefined, prompt: given.prompt ?? undefined }
}

function updateTurnDetection(
  old: SessionSettings,
  fields: RealtimeSessionFields,
  { facts }: UpdateRules,
): TurnDetection | null {
  const { input } = fields.audio ?? {}
  const given = input?.turn_detection === undefined ? fields.turn_detection : input.turn_detection
  if (given === undefined) return old.turnDetection
  if (given === null || given.type === 'none') return null
  if (!facts.detectsSpeech) throw refused('audio.input.turn_detection', 'the pipeline has no model that detects speech')
  return toTurnDetection(given as RealtimeTurnDetection, facts.turnDetection)
}

function toTurnDetection(given: RealtimeTurnDetection, usual: TurnDetection | null): TurnDetection {
  const createResponse = given.create_response ?? true
  const interruptResponse = given.interrupt_response ?? true
  if (given.type === 'semantic_vad') {
    const eagerness = given.eagerness ?? (usual?.type === 'semantic_vad' ? usual.eagerness : 'auto')
    return { type: 'semantic_vad', eagerness, createResponse, interruptResponse }
  }
  const known = usual?.type === 'server_vad' ? usual : undefined
  return {
    type: 'server_vad',
    threshold: given.threshold ?? known?.threshold ?? 0.5,
    prefixPaddingMs: given.prefix_padding_ms ?? known?.prefixPaddingMs ?? 300,
    silenceDurationMs: given.silence_duration_ms ?? known?.silenceDurationMs ?? 500,
    createResponse,
    interruptResponse,
    idleTimeoutMs: given.idle_timeout_ms ?? undefined,
  }
}

function refused(param: string, reason: string) {
  return badEvent('session_update_error', `${param}: ${reason}`, param)
}
