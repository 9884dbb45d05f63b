import type { RealtimeStatusDetails, RealtimeUsage } from '@svc/wire/realtime'
import type { Usage } from '../../inference/core/events.ts'
import type { ServerEvent } from '../ports.ts'
import type { Conversation } from './conversation.ts'
import { toRealtimeError } from './event-error.ts'
import { newId } from './ids.ts'
import { createItemWriter, type ItemWriter } from './item-writer.ts'
import type { AnswerSettings } from './settings.ts'
import { showOutput } from './show-session.ts'

/** How a response ends. */
export type ResponseEnd =
  | { readonly status: 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' }
  | { readonly status: 'cancelled'; readonly reason: 'turn_detected' | 'client_cancelled' }
  | { readonly status: 'failed'; readonly error: unknown }

/** A response from its first event to its last. */
export interface Response {
  readonly id: string
  readonly settings: AnswerSettings
  readonly output: ItemWriter
  /** Aborts when the response ends early. */
  readonly signal: AbortSignal
  readonly isOver: boolean
  usage: Usage | undefined
  /** Resolves once the last event is sent. */
  readonly ended: Promise<ResponseEnd>
  /** Sends the last events at once, and ends what runs for it; a second time does nothing. */
  end(end: ResponseEnd): void
}

/** Parts of {@link createResponse}. */
export interface ResponseParts {
  readonly settings: AnswerSettings
  /** Absent for a response beside the conversation. */
  readonly conversation: Conversation | undefined
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
  readonly emit: (event: ServerEvent) => Promise<void>
  readonly onEnd: (response: Response) => void
}

/** Begins a response: its first event is sent. */
export function createResponse({ settings, conversation, metadata, emit, onEnd }: ResponseParts): Response {
  const id = newId('resp')
  const ending = new AbortController()
  const output = createItemWriter({ responseId: id, emit, conversation })
  let resolveEnded: (end: ResponseEnd) => void = () => undefined
  const ended = new Promise<ResponseEnd>((resolve) => {
    resolveEnded = resolve
  })
  let isOver = false

  const show = (fields: Record<string, unknown>): Record<string, unknown> => ({
    object: 'realtime.response',
    id,
    status: 'in_progress',
    status_details: null,
    output: output.items.map(({ fields }) => fields),
    conversation_id: conversation?.id ?? null,
    output_modalities: [settings.modality],
    max_output_tokens: settings.maxOutputTokens,
    audio: { output: showOutput(settings) },
    usage: null,
    metadata: metadata ?? null,
    ...fields,
  })
  const response: Response = {
    id,
    settings,
    output,
    signal: ending.signal,
    get isOver() {
      return isOver
    },
    usage: undefined,
    ended,
    end(end) {
      if (isOver) return
      isOver = true
      ending.abort(end.status === 'failed' ? end.error : undefined)
      output.closeAll()
      if (end.status === 'failed') void emit({ type: 'error', error: toRealtimeError(end.error) })
      const details = toDetails(end)
      const usage = toUsage(response.usage)
      void emit({ type: 'response.done', response: show({ status: end.status, status_details: details, usage }) })
      resolveEnded(end)
      onEnd(response)
    },
  }
  void emit({ type: 'response.created', response: show({ output: [] }) })
  return response
}

function toDetails(end: ResponseEnd): RealtimeStatusDetails | null {
  switch (end.status) {
    case 'completed':
      return null
    case 'failed': {
      const { type, code, message } = toRealtimeError(end.error)
      return { type: 'failed', error: { type, code: code ?? 'processing_error', message } }
    }
    default:
      return { type: end.status, reason: end.reason }
  }
}

/** The stages of a pipeline count text only: speech has no tokens of its own there. */
function toUsage(usage: Usage | undefined): RealtimeUsage {
  const { promptTokens = 0, completionTokens = 0, cachedTokens = 0 } = usage ?? {}
  return {
    total_tokens: promptTokens + completionTokens,
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    input_token_details: { text_tokens: promptTokens, audio_tokens: 0, image_tokens: 0, cached_tokens: cachedTokens },
    output_token_details: { text_tokens: completionTokens, audio_tokens: 0 },
  }
}
