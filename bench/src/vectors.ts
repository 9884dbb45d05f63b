// Processor time of `POST /stores/find` over that of a search of the index of @svc/router with the same vectors, in one
// run: interleaved rounds, medians. The time of the request is that of the server. The server must be built.
//   pnpm --filter @svc/bench vectors [-- --rounds 9 --count 100000]
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createVectorIndex } from '@svc/router/vector'
import { median } from './load.ts'
import { startServer } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { rounds: { type: 'string', default: '9' }, count: { type: 'string', default: '100000' } },
})
const rounds = Number(values.rounds)
const count = Number(values.count)
const { signal } = new AbortController()

const DIMENSION = 384
const NEAREST = 10
const GOAL = 1.3
const VECTORS_PER_REQUEST = 2000
const SEARCHES_PER_ROUND = 20

const makeVector = () => Float32Array.from({ length: DIMENSION }, () => Math.random() - 0.5)

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const server = await startServer({ folder, models: [] })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function post(path: string, body: unknown): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length }
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { method: 'POST', agent, headers }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (reply.statusCode === 200) resolve(text)
        else reject(new Error(`${path}: status ${reply.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

async function searchStore(query: Float32Array): Promise<string> {
  const text = await post('/stores/find', { store: 'bench', key: Array.from(query), topk: NEAREST })
  return (JSON.parse(text) as { values: string[] }).values.join()
}

try {
  const index = createVectorIndex({ maxEntries: count })
  for (let first = 0; first < count; first += VECTORS_PER_REQUEST) {
    const keys = Array.from({ length: Math.min(VECTORS_PER_REQUEST, count - first) }, makeVector)
    const texts = keys.map((_, place) => `${first + place}`)
    await index.set(
      keys.map((key, place) => ({ key, value: new TextEncoder().encode(texts[place]) })),
      { signal },
    )
    await post('/stores/set', { store: 'bench', keys: keys.map((key) => Array.from(key)), values: texts })
  }
  const searchIndex = async (query: Float32Array): Promise<string> => {
    const found = await index.find(query, { count: NEAREST, signal })
    return found.map(({ value }) => new TextDecoder().decode(value)).join()
  }
  const times: { readonly store: number; readonly index: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const queries = Array.from({ length: SEARCHES_PER_ROUND }, makeVector)
    const begun = process.cpuUsage()
    const expected: string[] = []
    for (const query of queries) expected.push(await searchIndex(query))
    const { user, system } = process.cpuUsage(begun)
    const serverBegun = server.cpuSeconds()
    const found: string[] = []
    for (const query of queries) found.push(await searchStore(query))
    const store = ((server.cpuSeconds() - serverBegun) * 1000) / SEARCHES_PER_ROUND
    if (found.join(';') !== expected.join(';')) throw new Error('the store and the index disagree')
    // The first round warms up.
    if (round > 0) times.push({ store, index: (user + system) / 1000 / SEARCHES_PER_ROUND })
  }
  const show = (figures: readonly number[]) => `${median(figures).toFixed(2).padStart(8)} ms`
  console.log(`${count} vectors of ${DIMENSION}, the nearest ${NEAREST}: processor time a search, ${rounds} rounds`)
  console.log(`  index of @svc/router  ${show(times.map((time) => time.index))}`)
  console.log(`  POST /stores/find     ${show(times.map((time) => time.store))}`)
  console.log(
    `  ratio                 ${median(times.map((time) => time.store / time.index)).toFixed(3)} (goal ${GOAL})`,
  )
} finally {
  agent.destroy()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
