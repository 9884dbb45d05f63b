// Processor time of a search of the vector index over that of a plain loop over the same floats, and of a decision of
// @svc/router with models that answer at once, and of a request of a router over the same request sent to its candidate,
// in one run: interleaved rounds, medians. The server and the mock must be built.
//   pnpm --filter @svc/bench router [-- --rounds 9]
import { parseArgs } from 'node:util'
import { createRouter, type RouterOptions } from '@svc/router'
import { createVectorIndex } from '@svc/router/vector'
import { measureServer } from './router-server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { rounds: { type: 'string', default: '9' } },
})
const rounds = Number(values.rounds)
const { signal } = new AbortController()

const DIMENSION = 384
const NEIGHBORS = 3
const GOAL = 0.3

function median(figures: readonly number[]): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0
}

/** Processor time of one run in microseconds, the mean of as many as take `leastMs`. */
async function measure(run: () => unknown, leastMs = 100): Promise<number> {
  const begun = process.cpuUsage()
  const until = performance.now() + leastMs
  let count = 0
  do {
    await run()
    count++
  } while (performance.now() < until)
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / count
}

/** Numbers that look random and are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = createRandom(7)
const makeVector = () => Float32Array.from({ length: DIMENSION }, () => random() - 0.5)

/** The nearest rows by a loop that anybody would write: norms are known, each row is multiplied, the best are kept. */
function searchPlainly(rows: Float32Array, norms: Float64Array, query: Float32Array): number[] {
  const best: { row: number; similarity: number }[] = []
  for (let row = 0; row < norms.length; row++) {
    let product = 0
    const start = row * DIMENSION
    for (let column = 0; column < DIMENSION; column++) product += (rows[start + column] ?? 0) * (query[column] ?? 0)
    const similarity = product / (norms[row] ?? 1)
    if (best.length === NEIGHBORS && similarity <= (best[NEIGHBORS - 1]?.similarity ?? 0)) continue
    best.push({ row, similarity })
    best.sort((one, other) => other.similarity - one.similarity)
    if (best.length > NEIGHBORS) best.pop()
  }
  return best.map(({ row }) => row)
}

async function compareSearches(count: number): Promise<void> {
  const rows = new Float32Array(count * DIMENSION)
  const norms = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    const vector = makeVector()
    rows.set(vector, row * DIMENSION)
    norms[row] = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  }
  const entries = Array.from({ length: count }, (_, row) => ({
    key: rows.subarray(row * DIMENSION, (row + 1) * DIMENSION),
    value: new TextEncoder().encode(`${row}`),
  }))
  const [wasm, plain] = [createVectorIndex(), createVectorIndex({ kernel: 'plain' })]
  for (const index of [wasm, plain]) await index.set(entries, { signal })
  let query = makeVector()
  const read = (found: readonly { readonly value: Uint8Array }[]) =>
    found.map(({ value }) => Number(new TextDecoder().decode(value))).join()
  const runs = {
    loop: async () => searchPlainly(rows, norms, query).join(),
    wasm: async () => read(await wasm.find(query, { count: NEIGHBORS, signal })),
    plain: async () => read(await plain.find(query, { count: NEIGHBORS, signal })),
  }
  const times: Record<keyof typeof runs, number[]> = { loop: [], wasm: [], plain: [] }
  for (let round = 0; round < rounds; round++) {
    query = makeVector()
    const [first, second, third] = [await runs.loop(), await runs.wasm(), await runs.plain()]
    if (first !== second || first !== third) throw new Error(`the searches disagree: ${first} ${second} ${third}`)
    times.loop.push(await measure(runs.loop))
    times.wasm.push(await measure(runs.wasm))
    times.plain.push(await measure(runs.plain))
  }
  const show = (name: keyof typeof runs) =>
    `${(median(times[name]) / 1000).toFixed(2).padStart(8)} ms  ${median(times[name].map((time, round) => time / (times.loop[round] ?? 1))).toFixed(3)} of the loop`
  console.log(`\n${count} vectors of ${DIMENSION}, the nearest ${NEIGHBORS}`)
  console.log(`  plain loop        ${show('loop')}`)
  console.log(`  ${wasm.kernel} kernel       ${show('wasm')} (goal ${GOAL})`)
  console.log(`  plain kernel      ${show('plain')}`)
}

const LABELS = ['code', 'math', 'chat', 'write']
const PROMPT = `${'The quick brown fox jumps over the lazy dog and keeps on running. '.repeat(30)}`

async function measureDecisions(): Promise<void> {
  const settings = {
    classifierModel: 'm',
    classifierCacheSize: 1024,
    policies: LABELS.map((label) => ({ label, description: `The user asks for ${label}` })),
    candidates: [{ model: 'large', labels: LABELS }],
    fallback: 'large',
  }
  const scorer: RouterOptions['scorer'] = {
    score: async ({ continuations }) =>
      continuations.map((_, index) => ({ logProbability: -1 - 9 * index, tokenCount: 9 })),
  }
  const vector = makeVector()
  const embedder: RouterOptions['embedder'] = { embed: async (texts) => texts.map(() => vector) }
  const neighbors = LABELS.slice(0, NEIGHBORS).map((label) => ({ id: label, similarity: 0.9, labels: [label] }))
  const build = (options: Partial<RouterOptions>) => createRouter({ name: 'auto', settings, scorer, ...options })
  const routers = {
    'hit of the cache of prompts': build({}),
    score: build({}),
    colbert: build({
      settings: { ...settings, classifier: 'colbert' },
      reranker: { rerank: async ({ documents }) => documents.map((_, index) => ({ index, score: 0.9 - index / 5 })) },
    }),
    decisions: build({
      settings: { ...settings, classifier: 'decisions' },
      decisionModel: { decide: async ({ questions }) => questions.map(({ id }) => ({ id, probability: 0.5 })) },
    }),
    knn: build({
      settings: { ...settings, classifier: 'knn', knn: { embeddingModel: 'e' } },
      embedder,
      corpus: { revision: () => 0, findNeighbors: async () => neighbors },
    }),
    'hit of the embedding cache': build({
      settings: { ...settings, embeddingCache: { embeddingModel: 'e' } },
      cacheEmbedder: embedder,
    }),
  }
  console.log(`\na decision about a prompt of ${PROMPT.length} characters, models answer at once`)
  let number = 0
  for (const [name, router] of Object.entries(routers)) {
    const run = name.endsWith('prompts')
      ? () => router.decide(PROMPT, { signal })
      : () => router.decide(`${PROMPT}${number++}`, { signal })
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await measure(run))
    console.log(`  ${name.padEnd(28)}${median(times).toFixed(1).padStart(8)} µs`)
  }
}

console.log(`${rounds} rounds in turn, medians of processor time`)
await compareSearches(10_000)
await compareSearches(100_000)
await measureDecisions()
await measureServer(rounds)
