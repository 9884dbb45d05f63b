import type { TurnDetection } from '../ports.ts'
import type { AnswerSettings, SessionSettings } from './settings.ts'

/** Facts of a session that do not change. */
export interface SessionFacts {
  readonly id: string
  readonly model: string
  readonly transcriptionModel: string
  /** End of its time, seconds since the epoch. */
  readonly expiresAt: number
}

/** Writes a session for its client. */
export function showSession(settings: SessionSettings, facts: SessionFacts): Record<string, unknown> {
  const input = {
    format: settings.format,
    transcription: showTranscription(settings, facts),
    // sound is taken as it comes
    noise_reduction: null,
    turn_detection: showTurnDetection(settings.turnDetection),
  }
  const common = { object: 'realtime.session', id: facts.id, expires_at: facts.expiresAt, include: null }
  if (settings.type === 'transcription')
    return { type: 'transcription', ...common, object: 'realtime.transcription_session', audio: { input } }
  const { answers } = settings
  return {
    type: 'realtime',
    ...common,
    model: facts.model,
    instructions: answers.instructions,
    output_modalities: [answers.modality],
    max_output_tokens: answers.maxOutputTokens,
    tools: answers.tools.map(hideSecrets),
    tool_choice: answers.toolChoice,
    audio: { input, output: showOutput(answers) },
    prompt: null,
    tracing: null,
    truncation: 'auto',
  }
}

/** Writes the form of speech of a session or of a response. */
export function showOutput({ output }: AnswerSettings): Record<string, unknown> {
  return { format: output.format, voice: output.voice, speed: output.speed }
}

function showTranscription({ transcription }: SessionSettings, { transcriptionModel }: SessionFacts) {
  if (transcription === null) return null
  return {
    model: transcriptionModel,
    language: transcription.language ?? null,
    prompt: transcription.prompt ?? null,
  }
}

function showTurnDetection(settings: TurnDetection | null): Record<string, unknown> | null {
  if (settings === null) return null
  const { type, createResponse, interruptResponse } = settings
  const common = { create_response: createResponse, interrupt_response: interruptResponse }
  if (settings.type === 'semantic_vad') return { type, eagerness: settings.eagerness, ...common }
  return {
    type,
    threshold: settings.threshold,
    prefix_padding_ms: settings.prefixPaddingMs,
    silence_duration_ms: settings.silenceDurationMs,
    idle_timeout_ms: settings.idleTimeoutMs ?? null,
    ...common,
  }
}

/** Credentials of servers never come back. */
function hideSecrets(tool: SessionSettings['answers']['tools'][number]): Record<string, unknown> {
  if (tool.type !== 'mcp') return tool
  const { authorization: _authorization, headers: _headers, ...shown } = tool
  return shown
}
