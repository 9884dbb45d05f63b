/**
 * The thread that searches patterns in large documents. It is plain JavaScript, because it starts both from sources and
 * beside the bundle. `scan-threads.ts` is the other side and sends one document at a time.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'

// A server that runs from its sources uses the sources of the library too.
if (workerData.fromSource) (await import('tsx/esm/api')).register()
const { listBuffers, createPatternScanner } = await import('@svc/pii/offload')

const scanner = createPatternScanner({
  slices: { sliceMs: 20, yieldControl: () => new Promise((resolve) => setImmediate(resolve)) },
})
/** @type {AbortController | undefined} */
let running

parentPort?.on('message', (/** @type {import('./scan-thread.ts').ScanMessage} */ message) => {
  if (message.kind === 'abandon') return running?.abort()
  running = new AbortController()
  void answer(message.task, running.signal).then(reply)
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
    // The message may quote the document; the code does not.
    return { kind: 'failed', code: typeof error?.code === 'string' ? error.code : undefined }
  }
}

/** @param {import('./scan-thread.ts').ScanReply} message */
function reply(message) {
  parentPort?.postMessage(message, message.kind === 'found' ? listBuffers(message.found) : [])
}
