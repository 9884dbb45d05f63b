/**
 * Encoders as a model backend: one process, one model folder, over ONNX Runtime. It labels tokens, embeds and ranks.
 *
 * @module
 */
import { type BackendHandlers, createLog, serveBackend } from '@svc/backend-kit'
import { createClassifyHandlers } from './handlers/classify.ts'
import { createEmbedHandlers } from './handlers/embed.ts'
import { createLoadHandlers } from './handlers/load.ts'
import { createRerankHandlers } from './handlers/rerank.ts'
import { createCapabilities, createStatusHandlers } from './handlers/status.ts'
import { createTokenizeHandlers } from './handlers/tokenize.ts'
import { createModelHost } from './model-host.ts'

const log = createLog(process.stderr)

/** Whatever nobody foresaw ends the process with one line: the host starts another one. */
const exitOnFault = (fault: unknown): void => {
  log.error(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
  process.exit(1)
}
process.on('uncaughtException', exitOnFault)
process.on('unhandledRejection', exitOnFault)

const host = createModelHost(log)
const handlers: BackendHandlers = {
  ...createStatusHandlers(host),
  ...createLoadHandlers(host),
  ...createClassifyHandlers(host),
  ...createEmbedHandlers(host),
  ...createRerankHandlers(host),
  ...createTokenizeHandlers(host),
}
await serveBackend({
  handlers,
  extensions: { capabilities: createCapabilities(host, handlers) },
  onStop: () => host.unload(),
})
