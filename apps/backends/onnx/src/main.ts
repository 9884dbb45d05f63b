/**
 * Encoders as a model backend: one process, one model folder, over ONNX Runtime. It labels tokens, embeds and ranks.
 *
 * @module
 */
import { type BackendHandlers, createLog, createRerankHandlers, serveBackend } from '@svc/backend-kit'
import { createClassifyHandlers } from './handlers/classify.ts'
import { createEmbedHandlers } from './handlers/embed.ts'
import { createCapabilities, createStatusHandlers } from './handlers/status.ts'
import { createTokenizeHandlers } from './handlers/tokenize.ts'
import { createOnnxHost } from './model-host.ts'

const host = createOnnxHost(createLog(process.stderr))
const handlers: BackendHandlers = {
  ...createStatusHandlers(host),
  ...host.handlers,
  ...createClassifyHandlers(host),
  ...createEmbedHandlers(host),
  ...createRerankHandlers(host),
  ...createTokenizeHandlers(host),
}
await serveBackend({
  handlers,
  extensions: { capabilities: createCapabilities(host, handlers) },
  onStop: host.unload,
})
