// Measures the cost of five patterns, or of other built-ins, for a chat request of 2,000 tokens: p95 with them minus p95 without, in
// interleaved pairs over one server in front of one upstream.
//   pnpm --filter @svc/bench pii-chat [-- --pairs 5 --requests 1000 --builtins all]
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './load.ts'
import { chatCorpus } from './pii-corpus.ts'
import { CHAT_PATH, FIVE_PATTERNS, startServer, startUpstream } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    pairs: { type: 'string', default: '5' },
    requests: { type: 'string', default: '1000' },
    /** Names of built-ins, with commas between. */
    builtins: { type: 'string', default: FIVE_PATTERNS.join(',') },
  },
})
const builtins = values.builtins.split(',')
const WARM_UP = 2000
/** Characters of 2,000 tokens of English, at four each. */
const CHARACTERS = 8000
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))

function bodyFor(model: string): string {
  const prose = chatCorpus(CHARACTERS, false, [])
  const turns = Array.from({ length: 20 }, (_, index) =>
    prose.slice((index * CHARACTERS) / 20, ((index + 1) * CHARACTERS) / 20),
  )
  const messages = turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }))
  return JSON.stringify({ model, messages })
}

const upstream = await startUpstream()
const far = { backend: 'cloud-proxy', known_usecases: ['chat'], proxy: { upstream_url: `${upstream.url}${CHAT_PATH}` } }
const server = await startServer({
  folder,
  models: [
    { name: 'plain', ...far, pii: { enabled: false } },
    { name: 'filtered', ...far, pii: { enabled: true, detectors: ['secrets'] } },
    { name: 'secrets', backend: 'pattern', pii_detection: { builtins } },
  ],
})
const { port } = new URL(server.url)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function ask(body: string): Promise<number> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const outgoing = request({ host: '127.0.0.1', port, path: CHAT_PATH, method: 'POST', agent, headers }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`status ${reply.statusCode}`))
      reply.resume()
      reply.on('end', () => resolve(performance.now() - begun))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function p95Of(body: string, requests: number): Promise<number> {
  const latencies: number[] = []
  for (let index = 0; index < requests; index += 1) latencies.push(await ask(body))
  latencies.sort((one, other) => one - other)
  return latencies[Math.floor(latencies.length * 0.95)] ?? 0
}

try {
  const bodies = { plain: bodyFor('plain'), filtered: bodyFor('filtered') }
  await p95Of(bodies.plain, WARM_UP)
  await p95Of(bodies.filtered, WARM_UP)
  const added: number[] = []
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const without = await p95Of(bodies.plain, Number(values.requests))
    const withThem = await p95Of(bodies.filtered, Number(values.requests))
    added.push(withThem - without)
    process.stdout.write(
      `pair ${pair + 1}: p95 ${without.toFixed(2)} ms without, ${withThem.toFixed(2)} ms with patterns\n`,
    )
  }
  process.stdout.write(`added p95, median of ${added.length} pairs: ${median(added).toFixed(2)} ms\n`)
} finally {
  agent.destroy()
  await server.stop()
  await upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
