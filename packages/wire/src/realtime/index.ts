/**
 * Events of spoken conversations.
 *
 * @module
 */
export {
  REALTIME_CLIENT_EVENTS,
  type RealtimeClientEvent,
  type RealtimeResponseRequest,
  realtimeClientEvent,
  realtimeResponseRequest,
} from './client-events.ts'
export {
  type RealtimeContentPart,
  type RealtimeInputItem,
  type RealtimeItem,
  realtimeContentPart,
  realtimeInputItem,
  realtimeItem,
} from './items.ts'
export {
  REALTIME_SERVER_EVENTS,
  type RealtimeError,
  type RealtimeResponseStatus,
  type RealtimeServerEventType,
  type RealtimeStatusDetails,
  type RealtimeUsage,
} from './server-events.ts'
export {
  type RealtimeAudioFormat,
  type RealtimeResponseFields,
  type RealtimeSessionFields,
  type RealtimeTool,
  type RealtimeToolChoice,
  type RealtimeTranscription,
  type RealtimeTurnDetection,
  realtimeAudioFormat,
  realtimeResponseFields,
  realtimeSessionFields,
  realtimeTool,
  realtimeToolChoice,
  realtimeTurnDetection,
} from './session.ts'
