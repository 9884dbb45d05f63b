/**
 * GGUF models as a model backend: one process, one model, over the engine of node-llama-cpp.
 *
 * @module
 */
import {
  type BackendHandlers,
  createLog,
  createRerankHandlers,
  type ExtensionHandlers,
  serveBackend,
} from '@svc/backend-kit'
import { startRuntime } from './engine/runtime.ts'
import { createDecideHandlers } from './handlers/decide.ts'
import { createEmbedHandlers } from './handlers/embed.ts'
import { createMetadataHandlers } from './handlers/metadata.ts'
import { createPredictHandlers } from './handlers/predict.ts'
import { createPromptLogprobsHandlers } from './handlers/prompt-logprobs.ts'
import { createScoreHandlers } from './handlers/score.ts'
import { createSlotHandlers } from './handlers/slots.ts'
import { createCapabilities, createStatusHandlers } from './handlers/status.ts'
import { createTokenizeHandlers } from './handlers/tokenize.ts'
import { createLlamaHost } from './model-host.ts'

const log = createLog(process.stderr)
// The engine starts while the port is bound: both take time.
const runtime = startRuntime(log)
const host = createLlamaHost({ runtime, log })
const handlers: BackendHandlers = {
  ...createStatusHandlers({ host, runtime }),
  ...host.handlers,
  ...createMetadataHandlers(host),
  ...createPredictHandlers(host),
  ...createTokenizeHandlers(host),
  ...createEmbedHandlers(host),
  ...createRerankHandlers(host),
  ...createScoreHandlers(host),
}
const extensions: ExtensionHandlers = {
  ...createDecideHandlers(host),
  ...createSlotHandlers(host),
  ...createPromptLogprobsHandlers(host),
}
const capabilities = createCapabilities({ host, runtime }, { handlers, extensions })
/** Serves until the process is stopped. Without its engine the process is useless: a failed start ends it. */
async function serve(): Promise<void> {
  await serveBackend({ handlers, extensions: { ...extensions, capabilities }, onStop: host.unload })
  await runtime
}
// No await at the top level: in the bundle, the engine is loaded only when this module has run to its end.
void serve()
