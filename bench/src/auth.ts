// Measures the processor time of a relayed request for callers with a shared key, a user's key, a session and a quota,
// on SQLite with 100,000 keys and 1,000,000 usage records, and how long reports over usage take while requests run.
//   pnpm --filter @svc/bench auth [-- --seconds 3 --rounds 5 --before PATH]
// The baseline is a server with one shared key and no accounts. `--before` names the main file of an earlier version
// that counts no usage, and adds it as another baseline. Servers run on processor 0, upstream and load on processor 1.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Filling, fillAccounts } from './auth-data.ts'
import { type LoadFigures, median, runLoad } from './load.ts'
import type { Measured } from './processes.ts'
import { CHAT_PATH, startServer, startUpstream } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    records: { type: 'string', default: '1000000' },
    keys: { type: 'string', default: '100000' },
    before: { type: 'string' },
  },
})
const [seconds, rounds, connections] = [Number(values.seconds), Number(values.rounds), Number(values.connections)]
const filling: Filling = { records: Number(values.records), keys: Number(values.keys) }
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const SHARED_KEY = 'bench-key'
const REPORTS = 40
const PASSWORD = 'violet-Marble 92 otter'

type Headers = Readonly<Record<string, string>>

interface Side {
  readonly name: string
  readonly server: Measured
  readonly headers: Headers
  readonly connections: number
  readonly figures: (LoadFigures & { readonly cpuUs: number })[]
}

async function send(url: string, method: string, path: string, options: { body?: unknown; headers?: Headers } = {}) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...options.headers },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
  return { cookie: reply.headers.get('set-cookie')?.split(';')[0] ?? '', body: (await reply.json()) as never }
}

/** An account with a key and a session. */
async function register(url: string, name: string) {
  const form = { email: `${name}@site.example`, password: PASSWORD, name }
  const { cookie } = await send(url, 'POST', '/api/auth/register', { body: form })
  const headers = { cookie, origin: url }
  const { body } = await send(url, 'POST', '/api/auth/api-keys', { body: { name: 'bench' }, headers })
  const me: { readonly id: string } = (await send(url, 'GET', '/api/auth/me', { headers })).body
  const { key }: { readonly key: string } = body
  return { id: me.id, cookie, headers, key }
}

const model = (upstream: Measured) => ({
  name: 'm',
  backend: 'cloud-proxy',
  known_usecases: ['chat'],
  pii: { enabled: false },
  proxy: { upstream_url: `${upstream.url}${CHAT_PATH}`, upstream_model: 'upstream-model' },
})

async function startAccounts(upstream: Measured): Promise<Measured> {
  const flags = ['--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0', `--api-keys=${SHARED_KEY}`]
  return startServer({ folder: join(folder, 'accounts'), models: [model(upstream)], flags, cpu: 0 })
}

const body = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'Tell me about the weather in the mountains, please. '.repeat(10) }],
})

async function measure(side: Side): Promise<void> {
  const { server, headers } = side
  const before = server.cpuSeconds()
  const load = { url: server.url, path: CHAT_PATH, body, headers, connections: side.connections, seconds }
  const figures = await runLoad(load)
  side.figures.push({ ...figures, cpuUs: ((server.cpuSeconds() - before) / figures.requests) * 1e6 })
}

function report(sides: readonly Side[], baseline: Side): void {
  console.log(`\nrelayed requests, ${rounds} rounds of ${seconds} s in turn, medians\n`)
  console.log('| | connections | requests/s | CPU µs a request | over the shared key | p50 ms | p99 ms |')
  console.log('|---|---|---|---|---|---|---|')
  for (const side of sides) {
    const of = (pick: (figures: Side['figures'][number]) => number): number => median(side.figures.map(pick))
    const base = sides.find((one) => one.name === baseline.name && one.connections === side.connections) ?? baseline
    const ratios = side.figures.map((one, round) => one.cpuUs / (base.figures[round]?.cpuUs ?? Number.NaN))
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    console.log(
      `| ${side.name} | ${side.connections} | ${of((f) => f.requestsPerSecond).toFixed(0)} | ${of((f) => f.cpuUs).toFixed(0)} | ${median(ratios).toFixed(2)} (${range}) | ${of((f) => f.p50Ms).toFixed(2)} | ${of((f) => f.p99Ms).toFixed(2)} |`,
    )
  }
}

/** Times of reports while two callers keep asking for chats. */
async function measureReports(server: Measured, callers: { readonly own: Headers; readonly admin: Headers }) {
  console.log('\nreports over usage while requests run\n\n| report | p50 ms | p95 ms |\n|---|---|---|')
  let isOver = false
  const chat = { body: JSON.parse(body) as unknown, headers: callers.own }
  async function keepAsking(): Promise<void> {
    while (!isOver) await send(server.url, 'POST', CHAT_PATH, chat)
  }
  const asking = Promise.allSettled([keepAsking(), keepAsking()])
  for (const path of ['usage', 'usage/sources', 'admin/usage', 'admin/usage/sources']) {
    for (const period of ['day', 'week', 'month', 'all']) {
      const headers = path.startsWith('admin') ? callers.admin : callers.own
      const times: number[] = []
      for (let round = 0; round < REPORTS; round += 1) {
        const start = performance.now()
        await send(server.url, 'GET', `/api/auth/${path}?period=${period}`, { headers })
        times.push(performance.now() - start)
      }
      times.sort((left, right) => left - right)
      const p95 = times[Math.ceil(REPORTS * 0.95) - 1] ?? 0
      console.log(`| ${path} ${period} | ${median(times).toFixed(1)} | ${p95.toFixed(1)} |`)
    }
  }
  isOver = true
  await asking
}

const upstream = await startUpstream(1)
const running: Measured[] = [upstream]
try {
  const first = await startAccounts(upstream)
  const admin = await register(first.url, 'admin')
  const ada = await register(first.url, 'ada')
  const bob = await register(first.url, 'bob')
  const quota = { model: '', max_requests: 1e12, max_total_tokens: 1e12, window: '1h' }
  await send(first.url, 'PUT', `/api/auth/admin/users/${bob.id}/quotas`, { body: quota, headers: admin.headers })
  await first.stop()
  fillAccounts(join(folder, 'accounts/data/database.db'), filling, [ada.id, bob.id])

  const flags = [`--api-keys=${SHARED_KEY}`]
  const alone = await startServer({ folder: join(folder, 'alone'), models: [model(upstream)], flags, cpu: 0 })
  const accounts = await startAccounts(upstream)
  running.push(alone, accounts)
  const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })
  const side = (name: string, server: Measured, headers: Headers, count = connections): Side => ({
    name,
    server,
    headers,
    connections: count,
    figures: [],
  })
  const sides: Side[] = []
  for (const count of [1, connections]) {
    sides.push(
      side('shared key, no accounts', alone, bearer(SHARED_KEY), count),
      side('shared key', accounts, bearer(SHARED_KEY), count),
      side('user key', accounts, bearer(ada.key), count),
      side('session', accounts, { cookie: ada.cookie, origin: accounts.url }, count),
      side('user key with a quota', accounts, bearer(bob.key), count),
    )
  }
  if (values.before !== undefined) {
    const options = { folder: join(folder, 'before'), models: [model(upstream)], flags, cpu: 0, entry: values.before }
    const before = await startServer(options)
    running.push(before)
    for (const count of [1, connections])
      sides.push(side('shared key, earlier version', before, bearer(SHARED_KEY), count))
  }
  for (const one of sides) await runLoad({ ...one, url: one.server.url, path: CHAT_PATH, body, seconds: 1 })
  for (let round = 0; round < rounds; round += 1) {
    for (const one of sides) await measure(one)
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  }
  const [baseline] = sides
  if (baseline !== undefined) report(sides, baseline)
  await measureReports(accounts, { own: bearer(ada.key), admin: bearer(SHARED_KEY) })
} finally {
  for (const one of running) await one.stop()
  rmSync(folder, { recursive: true, force: true })
}
