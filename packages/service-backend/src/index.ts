/**
 * Models of another instance: its routes as methods, and the handlers of the backend contract on top of them.
 *
 * @module
 */

// As a model backend
export { createServiceHandlers, type ServiceHandlers } from './handlers.ts'
export type { ServiceContext } from './host.ts'
// As methods
export type { LiveClock, LiveInput, LiveOutput, LiveSocket, OpenLiveSocket } from './service/live-transcription.ts'
export type { FormFile } from './service/multipart.ts'
export type { CallPiece, PredictInput, PredictPiece } from './service/predict.ts'
export { createService, type Service, type ServiceOptions } from './service/service.ts'
export { loadServiceTarget, type ServiceSettings, type ServiceTarget } from './service/target.ts'
export type { SpokenSegment, SpokenWord, Transcript, TranscriptPiece } from './service/transcription.ts'
export type { ServiceCall } from './service/transport.ts'
