/**
 * Speech as a model backend: one process, one model. It transcribes, speaks, and finds speech and speakers. Each engine
 * runs in child processes of its own.
 *
 * @module
 */
import { type BackendHandlers, createLog, serveBackend } from '@svc/backend-kit'
import { createDetectSpeechHandlers } from './handlers/detect-speech.ts'
import { createDiarizeHandlers } from './handlers/diarize.ts'
import { createSpeakHandlers } from './handlers/speak.ts'
import { createCapabilities, createStatusHandlers } from './handlers/status.ts'
import { createTranscribeHandlers } from './handlers/transcribe.ts'
import { createSpeechHost } from './model-host.ts'

const host = createSpeechHost(createLog(process.stderr))
const handlers: BackendHandlers = {
  ...createStatusHandlers(host),
  ...host.handlers,
  ...createTranscribeHandlers(host),
  ...createSpeakHandlers(host),
  ...createDetectSpeechHandlers(host),
  ...createDiarizeHandlers(host),
}
await serveBackend({
  handlers,
  extensions: { capabilities: createCapabilities(host, handlers) },
  onStop: host.unload,
})
