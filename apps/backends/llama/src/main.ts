/**
 * GGUF models as a model backend: one process, one model, over the engine of node-llama-cpp.
 *
 * @module
 */
import { type BackendHandlers, createLog, type ExtensionHandlers, serveBackend } from '@svc/backend-kit'
import { startRuntime } from './engine/runtime.ts'
import { createDecideHandlers } from './handlers/decide.ts'
import { createEmbedHandlers } from './handlers/embed.ts'
import { createLoadHandlers } from './handlers/load.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createRerankHandlers } from './handlers/rerank.ts'
import { createScoreHandlers } from './handlers/score.ts'
import { createSlotHandlers } from './handlers/slots.ts'
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

// The engine starts while the port is bound: each takes its time. Without it the process is of no use.
const runtime = startRuntime(log)
runtime.catch(exitOnFault)
const host = createModelHost({ runtime, log })
const handlers: BackendHandlers = {
  ...createStatusHandlers(host),
  ...createLoadHandlers(host),
  ...createPredictHandlers(host),
  ...createTokenizeHandlers(host),
  ...createEmbedHandlers(host),
  ...createRerankHandlers(host),
  ...createScoreHandlers(host),
}
const extensions: ExtensionHandlers = { ...createDecideHandlers(host), ...createSlotHandlers(host) }
await serveBackend({
  handlers,
  extensions: { ...extensions, capabilities: createCapabilities(host, handlers, extensions) },
  onStop: () => host.unload(),
})
