/**
 * The thread on which patterns are looked for in large documents. Plain JavaScript: it is started from the sources and
 * beside the bundle alike. `scan-threads.ts` is the other side; it sends one document at a time.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'

// A server that runs from its sources looks by the sources of the library too.
if (workerData.fromSource) (await import('tsx/esm/api')).register()
const { listBuffers, createPatternScanner } = await import('@svc/pii/offload')

const scanner = createPatternScanner({
  slices: { sliceMs: 20, yieldControl: () => new Promise((resolve) => setImmediate(resolve)) },
})
/** @type {AbortController | undefined} */
let running

parentPort?.on('message', async (/** @type {import('./scan-thread.ts').ScanMessage} */ message) => {
  if (message.kind === 'abandon') return running?.abort()
  running = new AbortController()
  reply(await answer(message.task, running.signal))
})

/**
 * @param {import('@svc/pii/offload').PatternTask} task
 * @param {AbortSignal} signal
 * @returns {Promise<import('./scan-thread.ts').ScanReply>}
 */
async function answer(task, signal) {
  try {
    return { kind: 'found', found: await scanner.scan(task, { signal }) }
  } catch (error) {
    // The message may quote what was scanned; the code does not.
    return { kind: 'failed', code: typeof error?.code === 'string' ? error.code : undefined }
  }
}

/** @param {import('./scan-thread.ts').ScanReply} message */
function reply(message) {
  parentPort?.postMessage(message, message.kind === 'found' ? listBuffers(message.found) : [])
}
