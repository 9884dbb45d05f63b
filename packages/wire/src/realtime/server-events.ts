/** Types of the events of a server. */
export const REALTIME_SERVER_EVENTS = [
  'error',
  'session.created',
  'session.updated',
  'input_audio_buffer.committed',
  'input_audio_buffer.cleared',
  'input_audio_buffer.speech_started',
  'input_audio_buffer.speech_stopped',
  'input_audio_buffer.timeout_triggered',
  'conversation.item.added',
  'conversation.item.done',
  'conversation.item.retrieved',
  'conversation.item.deleted',
  'conversation.item.truncated',
  'conversation.item.input_audio_transcription.delta',
  'conversation.item.input_audio_transcription.completed',
  'conversation.item.input_audio_transcription.failed',
  'conversation.item.sound_detection',
  'conversation.item.speaker',
  'response.created',
  'response.done',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.output_audio_transcript.delta',
  'response.output_audio_transcript.done',
  'response.output_audio.delta',
  'response.output_audio.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.mcp_call_arguments.delta',
  'response.mcp_call_arguments.done',
  'response.mcp_call.in_progress',
  'response.mcp_call.completed',
  'response.mcp_call.failed',
  'mcp_list_tools.in_progress',
  'mcp_list_tools.completed',
  'mcp_list_tools.failed',
  'output_audio_buffer.started',
  'output_audio_buffer.stopped',
  'output_audio_buffer.cleared',
  'rate_limits.updated',
  'localai.classifier.result',
] as const

/** Type of an event of a server. */
export type RealtimeServerEventType = (typeof REALTIME_SERVER_EVENTS)[number]

/** State of a response; only the first value changes. */
export type RealtimeResponseStatus = 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete'

/** Why a response ended. */
export interface RealtimeStatusDetails {
  readonly type: 'completed' | 'cancelled' | 'incomplete' | 'failed'
  readonly reason?: 'turn_detected' | 'client_cancelled' | 'max_output_tokens' | 'content_filter' | undefined
  readonly error?: { readonly type: string; readonly code: string; readonly message: string } | undefined
}

/** Tokens of a response. */
export interface RealtimeUsage {
  readonly total_tokens: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly input_token_details: {
    readonly text_tokens: number
    readonly audio_tokens: number
    readonly image_tokens: number
    readonly cached_tokens: number
  }
  readonly output_token_details: { readonly text_tokens: number; readonly audio_tokens: number }
}

/** `error` of an error event. */
export interface RealtimeError {
  readonly type: string
  readonly code: string | null
  readonly message: string
  readonly param: string | null
  /** The event that it is about. */
  readonly event_id: string | null
}
