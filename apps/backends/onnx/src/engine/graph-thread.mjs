/**
 * The thread in which a graph runs: the engine computes on the thread that asks it, and calls, cancellations and health
 * checks must go on meanwhile. One run at a time; the other side waits for each reply. Plain JavaScript, as threads take
 * no other sources.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import { InferenceSession, Tensor } from 'onnxruntime-node'

/** @typedef {import('./protocol.ts').NumberBlock} NumberBlock */

/** @param {import('./protocol.ts').GraphReply} message */
const reply = (message) => parentPort?.postMessage(message)
/** @param {unknown} error */
const fail = (error) => reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })

const { file, threads } = /** @type {import('./protocol.ts').GraphSource} */ (workerData)
// Only errors are told; threads that have nothing to do sleep, as others want the processor too.
const session = await InferenceSession.create(file, {
  executionProviders: ['cpu'],
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
  enableMemPattern: false,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
}).catch(fail)

if (session) {
  parentPort?.on('message', (/** @type {import('./protocol.ts').GraphRun} */ run) => {
    execute(session, run).then((output) => reply({ kind: 'done', output }), fail)
  })
  const inputs = session.inputMetadata.map(toGraphValue)
  reply({ kind: 'loaded', shape: { inputs, outputs: session.outputMetadata.map(toGraphValue) } })
}

/**
 * @param {InferenceSession} graph
 * @param {import('./protocol.ts').GraphRun} run
 * @returns {Promise<NumberBlock>}
 */
async function execute(graph, { feeds, output }) {
  const tensors = Object.fromEntries(
    Object.entries(feeds).map(([name, { kind, data, dims }]) => [name, new Tensor(kind, data, dims)]),
  )
  const { [output]: result } = await graph.run(tensors, [output])
  if (!(result?.data instanceof Float32Array)) {
    throw new Error(`the output ${output} is ${result?.type ?? 'missing'}, not float32`)
  }
  const block = { kind: /** @type {const} */ ('float32'), dims: [...result.dims], data: result.data.slice() }
  result.dispose()
  return block
}

/**
 * @param {InferenceSession.ValueMetadata} value
 * @returns {import('./protocol.ts').GraphValue}
 */
function toGraphValue(value) {
  return value.isTensor
    ? { name: value.name, kind: value.type, shape: [...value.shape] }
    : { name: value.name, kind: '', shape: [] }
}
