import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { median } from './load.ts'
import { CHAT_PATH, startServer } from './server.ts'

const LABELS = ['code', 'math', 'chat', 'write']
const PROMPT = 'The quick brown fox jumps over the lazy dog and keeps on running. '.repeat(30)
const BLOCK = {
  activation_threshold: 0.5,
  policies: LABELS.map((label) => ({ label, description: `The user asks for ${label}` })),
  candidates: [{ model: 'large', labels: LABELS }],
  fallback: 'large',
}
const scores = LABELS.map((_, index) => ({ logProb: -1 - 50 * index, numTokens: 9 }))
const mock = (name: string, known_usecases: readonly string[], script = {}, keys = {}) => ({
  name,
  backend: 'mock',
  known_usecases,
  template: { use_tokenizer_template: true },
  parameters: { model: `${name}.bin` },
  options: mockOptions(script),
  ...keys,
})
const route = (name: string, keys: Record<string, unknown>) => ({ name, router: { ...BLOCK, ...keys } })
const MODELS = [
  mock('large', ['chat'], { rules: [{ rpc: 'Predict*', do: { text: 'Yes' } }] }),
  mock('judge', ['score', 'rerank', 'decisions'], {
    rules: [{ rpc: 'Score', do: { answer: { candidates: scores } } }],
  }),
  mock('vectors', ['embeddings'], { embeddingDimension: 384 }, { embeddings: true }),
  route('score', { classifier_model: 'judge' }),
  route('colbert', { classifier: 'colbert', classifier_model: 'judge' }),
  route('decisions', { classifier: 'decisions', classifier_model: 'judge' }),
  route('knn', { classifier: 'knn', knn: { embedding_model: 'vectors', similarity_threshold: 0 } }),
  route('cached', {
    classifier_model: 'judge',
    embedding_cache: { embedding_model: 'vectors', confidence_threshold: 0 },
  }),
]
const CASES: readonly (readonly [name: string, model: string, isNew: boolean])[] = [
  ['candidate, asked directly', 'large', false],
  ['hit of the cache of prompts', 'score', false],
  ['hit of the embedding cache', 'cached', true],
  ['score', 'score', true],
  ['colbert', 'colbert', true],
  ['decisions', 'decisions', true],
  ['knn', 'knn', true],
]
const REQUESTS = 150
const WARM_UP = 300

/** A prompt with the same words as every other one, so that its vector is the same, and a spelling of its own. */
function writePrompt(number: number): string {
  return `${PROMPT}${number.toString(2).replaceAll('0', '.').replaceAll('1', ',')}`
}

/** Compares requests of routers with the same request to their candidate: processor time of the server, interleaved. */
export async function measureServer(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const { path } = writeMockLauncher({ folder, name: 'mock.sh' })
  const server = await startServer({ folder, models: MODELS, flags: [`--external-grpc-backends=mock:${path}`] })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const post = (to: string, body: unknown): Promise<void> => {
    const bytes = Buffer.from(JSON.stringify(body))
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length }
    return new Promise((resolve, reject) => {
      const outgoing = request(`${server.url}${to}`, { method: 'POST', agent, headers }, (reply) => {
        if (reply.statusCode !== 200) reject(new Error(`${to}: status ${reply.statusCode}`))
        reply.resume()
        reply.on('end', resolve)
      })
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }
  let number = 0
  const ask = (model: string, isNew: boolean): Promise<void> =>
    post(CHAT_PATH, { model, messages: [{ role: 'user', content: isNew ? writePrompt(number++) : PROMPT }] })
  /** Microseconds of the server for a request. */
  const measure = async (model: string, isNew: boolean): Promise<number> => {
    const begun = server.cpuSeconds()
    for (let index = 0; index < REQUESTS; index++) await ask(model, isNew)
    return ((server.cpuSeconds() - begun) / REQUESTS) * 1e6
  }
  try {
    await post('/v1/embeddings', { model: 'vectors', input: 'load it' })
    await post('/api/router/knn/corpus', {
      entries: LABELS.map((label) => ({ text: `${PROMPT} ${label}`, labels: [label] })),
    })
    for (const [, model, isNew] of CASES) for (let index = 0; index < WARM_UP; index++) await ask(model, isNew)
    const times = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++) {
      for (const [name, model, isNew] of CASES)
        times.set(name, [...(times.get(name) ?? []), await measure(model, isNew)])
    }
    const direct = times.get(CASES[0]?.[0] ?? '') ?? []
    console.log(
      `\na chat of ${PROMPT.length} characters, models answer at once: processor time of the server a request`,
    )
    for (const [name, found] of times) {
      const ratio = median(found.map((time, round) => time / (direct[round] ?? 1)))
      console.log(
        `  ${name.padEnd(28)}${median(found).toFixed(0).padStart(8)} µs  ${ratio.toFixed(2)} of the direct request`,
      )
    }
  } finally {
    agent.destroy()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
