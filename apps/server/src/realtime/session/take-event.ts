import type { RealtimeClientEvent, RealtimeSessionFields } from '@svc/wire/realtime'
import type { ClientItems } from './client-items.ts'
import { badEvent } from './event-error.ts'
import type { Responses } from './responses.ts'
import type { SessionContext } from './session-context.ts'
import type { Turns } from './turns.ts'
import type { VoiceOutput } from './voice-output.ts'

/** The parts of a session that serve events of the client. */
export interface EventParts {
  readonly context: Pick<SessionContext, 'settings'>
  readonly update: (fields: RealtimeSessionFields) => void
  readonly items: ClientItems
  readonly turns: Pick<Turns, 'commit' | 'clear'>
  readonly responses: Pick<Responses, 'create' | 'cancel'>
  readonly voiceOutput: Pick<VoiceOutput, 'silence' | 'stopped'>
}

/** Serves an event of the client. @throws {SvcError} for an event that cannot be served */
export function takeEvent(event: RealtimeClientEvent, parts: EventParts): void {
  const { context, update, items, turns, responses, voiceOutput } = parts
  switch (event.type) {
    case 'session.update':
    case 'transcription_session.update':
      update(event.session)
      break
    case 'input_audio_buffer.append':
      // sound is taken before the checks of a schema: this event has none
      break
    case 'input_audio_buffer.commit':
      turns.commit()
      break
    case 'input_audio_buffer.clear':
      turns.clear()
      break
    case 'output_audio_buffer.clear':
      voiceOutput.silence()
      break
    case 'conversation.item.create':
      items.create(event)
      break
    case 'conversation.item.retrieve':
      items.retrieve(event.item_id)
      break
    case 'conversation.item.truncate':
      items.truncate(event.item_id, { contentIndex: event.content_index, audioEndMs: event.audio_end_ms })
      voiceOutput.stopped(event.item_id)
      break
    case 'conversation.item.delete':
      items.remove(event.item_id)
      break
    case 'response.create':
      if (context.settings.type === 'transcription') throw hasNoResponses()
      responses.create(event.response ?? undefined, items.readInput)
      break
    case 'response.cancel':
      responses.cancel(event.response_id ?? undefined)
      break
  }
}

function hasNoResponses() {
  return badEvent('invalid_event', 'a session of the type transcription has no responses', 'type')
}
