/**
 * GGUF models as a model backend: one process, one model, over the engine of node-llama-cpp.
 *
 * @module
 */
import { type BackendHandlers, serveBackend } from '@svc/backend-kit'
import { createLog, type Log } from './engine/log.ts'
import { startRuntime } from './engine/runtime.ts'
import { createEmbedHandlers } from './handlers/embed.ts'
import { createLoadHandlers } from './handlers/load.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createCapabilities, createStatusHandlers } from './handlers/status.ts'
import { createTokenizeHandlers } from './handlers/tokenize.ts'
import { createModelHost } from './model-host.ts'

const log = createLog(process.stderr)
exitOnFaults(log)

// The engine starts while the port is bound: each takes its time.
const host = createModelHost({ runtime: startRuntime(log), log })
const handlers: BackendHandlers = {
  ...createStatusHandlers(host),
  ...createLoadHandlers(host),
  ...createPredictHandlers(host),
  ...createTokenizeHandlers(host),
  ...createEmbedHandlers(host),
}
await serveBackend({
  handlers,
  extensions: { capabilities: createCapabilities(host, handlers) },
  onStop: () => host.unload(),
})

/** Whatever nobody foresaw ends the process with one line: the host starts another one. */
function exitOnFaults(faultLog: Log): void {
  const exit = (fault: unknown): void => {
    faultLog.error(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
    process.exit(1)
  }
  process.on('uncaughtException', exit)
  process.on('unhandledRejection', exit)
}
