/**
 * The process in which a graph runs. The engine computes on the calling thread, supports only one start a process, and
 * may crash on malformed files. In this process it can, while calls, cancellations and health checks go on. It holds
 * one graph and runs one request at a time; the parent waits for each reply. Plain JavaScript, because it starts from
 * the sources and from the build alike.
 *
 * @module
 */
/** @typedef {import('./protocol.ts').GraphRequest} GraphRequest */
/** @typedef {import('./protocol.ts').NumberBlock} NumberBlock */
/** @typedef {import('onnxruntime-node')} Engine */

// The parent process receives the stop signals and closes the channel when it no longer needs this process.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {})
process.on('disconnect', () => process.exit(0))

/** @type {{ engine: Engine, session: import('onnxruntime-node').InferenceSession } | undefined} */
let loaded

process.on('message', (/** @type {GraphRequest} */ request) => {
  answer(request).then(reply, (error) => {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  })
})

/** @param {import('./protocol.ts').GraphReply} message */
function reply(message) {
  process.send?.(message)
}

/**
 * @param {GraphRequest} request
 * @returns {Promise<import('./protocol.ts').GraphReply>}
 */
async function answer(request) {
  if (request.kind === 'run') {
    if (loaded === undefined) throw new Error('no graph is loaded')
    const output = await execute(loaded, request.run)
    return { kind: 'done', output, memoryBytes: process.memoryUsage.rss() }
  }
  const { file, threads } = request.source
  // Reports errors only; idle threads sleep, because other processes need the processor too.
  const engine = await openEngine()
  const session = await engine.InferenceSession.create(file, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  loaded = { engine, session }
  const shape = {
    inputs: session.inputMetadata.map(toGraphValue),
    outputs: session.outputMetadata.map(toGraphValue),
  }
  return { kind: 'loaded', shape, memoryBytes: process.memoryUsage.rss() }
}

/** Opens the engine, which is installed only on platforms that have a build of it. */
async function openEngine() {
  try {
    // a CommonJS module: in a bundle it has no other export
    const { default: engine } = await import('onnxruntime-node')
    return engine
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
    // in words that name no folder
    throw new Error(`onnxruntime-node cannot be used here: ${reason.replace(/(?:\/[^\s/'"]+)+\//g, '')}`)
  }
}

/**
 * @param {{ engine: Engine, session: import('onnxruntime-node').InferenceSession }} graph
 * @param {import('./protocol.ts').GraphRun} run
 * @returns {Promise<NumberBlock>}
 */
async function execute({ engine, session }, { feeds, output }) {
  const tensors = Object.fromEntries(
    Object.entries(feeds).map(([name, { kind, data, dims }]) => [name, new engine.Tensor(kind, data, dims)]),
  )
  const { [output]: result } = await session.run(tensors, [output])
  if (!(result?.data instanceof Float32Array)) {
    throw new Error(`the output ${output} is ${result?.type ?? 'missing'}, not float32`)
  }
  const block = { kind: /** @type {const} */ ('float32'), dims: [...result.dims], data: result.data.slice() }
  result.dispose()
  return block
}

/**
 * @param {import('onnxruntime-node').InferenceSession.ValueMetadata} value
 * @returns {import('./protocol.ts').GraphValue}
 */
function toGraphValue(value) {
  return value.isTensor
    ? { name: value.name, kind: value.type, shape: [...value.shape] }
    : { name: value.name, kind: '', shape: [] }
}
