/**
 * The process in which a Silero graph runs, over ONNX Runtime.
 *
 * @module
 */
import { openPackage, serveEngine } from '../child/serve-engine.mjs'

/** @typedef {import('onnxruntime-node')} Engine */
/** @typedef {import('onnxruntime-node').Tensor} Tensor */

/** Must equal `WINDOW` of the protocol. */
const WINDOW = 512
/** Samples before a window that graphs of the fifth version read once more. */
const CONTEXT = 64
const RATE = 16_000n

/** Shapes of what a graph carries from window to window: its inputs with their outputs. */
const STATES = {
  v5: { context: CONTEXT, parts: [{ from: 'stateN', to: 'state', dims: [2, 1, 128] }] },
  v4: {
    context: 0,
    parts: [
      { from: 'hn', to: 'h', dims: [2, 1, 64] },
      { from: 'cn', to: 'c', dims: [2, 1, 64] },
    ],
  },
}

/** @type {{ engine: Engine, session: import('onnxruntime-node').InferenceSession } | undefined} */
let loaded

serveEngine({
  load: async (settings) => {
    const { file, threads } = /** @type {import('./protocol.ts').SileroLoad} */ (settings)
    // a CommonJS module: in a bundle it has no other export
    const engine = await openPackage('onnxruntime-node', async () => (await import('onnxruntime-node')).default)
    const session = await engine.InferenceSession.create(file, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 3,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    })
    loaded = { engine, session }
    // A graph of another kind fails here, and not at the first call.
    await listen(loaded, new Float32Array(WINDOW))
    return undefined
  },
  call: async (request) => {
    if (loaded === undefined) throw new Error('no model is loaded')
    const { samples } = /** @type {import('./protocol.ts').SileroCall} */ (request)
    return { probabilities: await listen(loaded, samples) }
  },
})

/**
 * @param {NonNullable<typeof loaded>} model
 * @param {Float32Array} samples
 * @returns {Promise<Float32Array>}
 */
async function listen({ engine, session }, samples) {
  const { context, parts } = session.inputNames.includes('state') ? STATES.v5 : STATES.v4
  const sr = new engine.Tensor('int64', [RATE], [])
  /** @type {Record<string, Tensor>} */
  let state = Object.fromEntries(parts.map(({ to, dims }) => [to, createZeros(engine, dims)]))
  const probabilities = new Float32Array(Math.ceil(samples.length / WINDOW))
  for (let index = 0; index < probabilities.length; index++) {
    const start = index * WINDOW
    const input = new Float32Array(context + WINDOW)
    const from = Math.max(0, start - context)
    input.set(samples.subarray(from, start + WINDOW), context - (start - from))
    const result = await session.run({ input: new engine.Tensor('float32', input, [1, input.length]), sr, ...state })
    const { output } = result
    if (!(output?.data instanceof Float32Array)) throw new Error('the graph has no output of probabilities')
    probabilities[index] = output.data[0] ?? 0
    state = Object.fromEntries(parts.map(({ from: name, to }) => [to, take(result, name)]))
  }
  return probabilities
}

/**
 * @param {Engine} engine
 * @param {readonly number[]} dims
 * @returns {Tensor}
 */
function createZeros(engine, dims) {
  return new engine.Tensor('float32', new Float32Array(dims.reduce((product, size) => product * size, 1)), dims)
}

/**
 * @param {Readonly<Record<string, Tensor>>} result
 * @param {string} name
 * @returns {Tensor}
 */
function take(result, name) {
  const tensor = result[name]
  if (tensor === undefined) throw new Error(`the graph has no output ${name}`)
  return tensor
}
