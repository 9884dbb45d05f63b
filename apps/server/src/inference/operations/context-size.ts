import type { OperationRunner } from './operation-runner.ts'

/** A backend without this call may be slow to say so. */
const TIMEOUT_MS = 5000

/** Asks for the context size of a loaded model. Only our own backends answer; others give 0. */
export const runContextSize: OperationRunner<'context-size'> = async (_request, { client, signal }) => {
  try {
    const { contextSize } = await client.extensions.capabilities({}, { signal, timeoutMs: TIMEOUT_MS })
    return { tokens: contextSize, promptTokens: 0 }
  } catch {
    signal.throwIfAborted()
    return { tokens: 0, promptTokens: 0 }
  }
}
