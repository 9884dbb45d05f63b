// Measures how long a request of 15 MB blocks other requests: the delay of the server's event loop and the wait of
// small requests meanwhile, without filter and with patterns, in turn over one server in front of one upstream.
//   pnpm --filter @svc/bench pii-stall [-- --rounds 7 --megabytes 14 --server FILE]
// `--server` names the main file of another build of the server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './load.ts'
import { chatCorpus } from './pii-corpus.ts'
import { freePort } from './processes.ts'
import { CHAT_PATH, FIVE_PATTERNS, startServer, startUpstream } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '7' },
    megabytes: { type: 'string', default: '14' },
    server: { type: 'string' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))

/** Effect of a request on other requests. */
interface Stall {
  /** Longest delay of the server's event loop. */
  readonly maxMs: number
  /** Busy time of the main thread. */
  readonly activeMs: number
  /** Longest wait of a small request. */
  readonly waitMs: number
  /** Time of the request itself. */
  readonly tookMs: number
}

const upstream = await startUpstream()
const far = {
  backend: 'cloud-proxy',
  known_usecases: ['chat'],
  proxy: { upstream_url: `${upstream.url}${CHAT_PATH}` },
}
/** Patterns with an attempt at nearly every position of a text of digits. */
const hard = Array.from({ length: 2 }, (_, index) => ({
  name: `HARD${index}`,
  match: `[0-9]{1,64}${index}00[0-9]{8,40}x`,
}))
const models = [
  { name: 'unfiltered', ...far, pii: { enabled: false } },
  { name: 'five patterns', ...far, pii: { enabled: true, detectors: ['secrets'] } },
  { name: 'hard patterns', ...far, pii: { enabled: true, detectors: ['hard'] } },
  { name: 'secrets', backend: 'pattern', pii_detection: { builtins: FIVE_PATTERNS } },
  { name: 'hard', backend: 'pattern', pii_detection: { patterns: hard } },
]
const delayPort = await freePort()
const server = await startServer({
  folder,
  models,
  entry: values.server,
  nodeArgs: ['--import', fileURLToPath(new URL('./event-loop-delay.mjs', import.meta.url))],
  env: { EVENT_LOOP_PORT: String(delayPort) },
})

async function readDelay(): Promise<Pick<Stall, 'maxMs' | 'activeMs'>> {
  return (await (await fetch(`http://127.0.0.1:${delayPort}/`)).json()) as Stall
}

/** Sends small requests one after the other until it is stopped; returns the longest wait. */
async function probe(until: { stopped: boolean }): Promise<number> {
  let longest = 0
  while (!until.stopped) {
    const begun = performance.now()
    await (await fetch(`${server.url}/healthz`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - begun)
  }
  return longest
}

async function ask(body: string): Promise<number> {
  const begun = performance.now()
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${server.url}${CHAT_PATH}`, { method: 'POST', headers, body })
  await reply.arrayBuffer()
  if (reply.status !== 200) throw new Error(`status ${reply.status}`)
  return performance.now() - begun
}

/** Sends the request twice: once to measure the event loop, once beside small requests. */
async function measure(body: string): Promise<Stall> {
  await readDelay()
  const tookMs = await ask(body)
  const delay = await readDelay()
  const until = { stopped: false }
  const probing = probe(until)
  await ask(body).finally(() => {
    until.stopped = true
  })
  return { ...delay, tookMs, waitMs: await probing }
}

const length = Number(values.megabytes) * 1e6
const toBody = (model: string, content: string): string =>
  JSON.stringify({ model, messages: [{ role: 'user', content }] })
const texts = { prose: chatCorpus(length, true, []), digits: '10020030040050060070'.repeat(length / 20) }
const cases = {
  'prose, unfiltered': toBody('unfiltered', texts.prose),
  'prose, five patterns': toBody('five patterns', texts.prose),
  'digits, unfiltered': toBody('unfiltered', texts.digits),
  'digits, hard patterns': toBody('hard patterns', texts.digits),
}

try {
  const measured = Object.entries(cases).map(([name, body]) => ({ name, body, stalls: [] as Stall[] }))
  // The first round is not counted.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const { body, stalls } of measured) {
      const stall = await measure(body)
      if (round > 0) stalls.push(stall)
    }
  }
  for (const { name, stalls } of measured) {
    const middle = (key: keyof Stall): string => median(stalls.map((stall) => stall[key])).toFixed(0)
    process.stdout.write(
      `${name}: event loop away for ${middle('maxMs')} ms at most, busy ${middle('activeMs')} ms; ` +
        `a small request waited ${middle('waitMs')} ms at most; took ${middle('tookMs')} ms\n`,
    )
  }
} finally {
  await server.stop()
  await upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
