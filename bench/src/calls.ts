// Holds calls over WebRTC at once: clients that speak all the time and are answered again and again. Prints processor
// time and memory of the server beside a bare echo of the same library, and what is left when all have left. The backend
// is the mock, so that the figures are those of the calls.
//   pnpm --filter @svc/bench calls [-- --calls 50 --seconds 60 --every 20 --rounds 2]
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { createCallClients, makeFrames } from './call-clients.ts'
import { median } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { startServer } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    calls: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    every: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
  },
})
const [count, seconds, every] = [Number(values.calls), Number(values.seconds), Number(values.every)]
const rounds = Number(values.rounds)
/** The echo has no state that could grow. */
const ECHO_SECONDS = Math.min(seconds, 60)
/** About five seconds of speech. */
const ANSWER = Array.from({ length: 50 }, (_, at) => `word${at}`).join(' ')
const TURN = [
  { type: 'input_audio_buffer.clear' },
  {
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
  },
  { type: 'response.create' },
]
const BY_HAND = { type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection: null } } } }

interface Facts {
  readonly rssMb: number
  readonly files: number
  readonly threads: number
}

function readFacts({ pid }: Measured): Facts {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return { rssMb: read('VmRSS') / 1024, files: readdirSync(`/proc/${pid}/fd`).length, threads: read('Threads') }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const show = ({ rssMb, files, threads }: Facts): string => `${rssMb.toFixed(0)} MiB, ${files} files, ${threads} threads`

interface Held {
  readonly path: string
  readonly isAnswered: boolean
  readonly seconds: number
}

/** Holds all calls for the time. */
async function hold(server: Measured, { path, isAnswered, seconds }: Held) {
  const clients = createCallClients(await makeFrames())
  const first = await clients.add(`${server.url}${path}`)
  first.client.close()
  await sleep(1000)
  const before = readFacts(server)
  const opened = []
  for (let call = 0; call < count; call++) opened.push(await clients.add(`${server.url}${path}`))
  if (isAnswered) for (const { client } of opened) client.send(BY_HAND)
  const begun = performance.now()
  const cpu = server.cpuSeconds()
  for (let second = 0; second < seconds; second++) {
    // Answers begin one after the other, not all at once.
    if (isAnswered) {
      for (const [at, { client }] of opened.entries()) {
        if (at % every === second % every && client.isOpen) for (const event of TURN) client.send(event)
      }
    }
    await sleep(Math.max(0, begun + (second + 1) * 1000 - performance.now()))
  }
  const minutes = ((performance.now() - begun) / 60_000) * count
  const cpuSeconds = server.cpuSeconds() - cpu
  const during = readFacts(server)
  const heard = opened.map(({ client }) => client.heard)
  const open = opened.filter(({ client }) => client.isOpen).length
  for (const { client } of opened) client.close()
  clients.stop()
  await sleep(3000)
  const after = readFacts(server)
  return {
    seconds,
    before,
    during,
    after,
    cpuPerMinute: cpuSeconds / minutes,
    heard,
    open,
    openedMs: opened.map((each) => each.openedMs),
  }
}

function print(name: string, result: Awaited<ReturnType<typeof hold>>): void {
  console.log(`\n${name}: ${result.open} of ${count} calls open at the end of ${result.seconds} s`)
  console.log(
    `  open after ${median(result.openedMs).toFixed(0)} ms (${Math.max(...result.openedMs).toFixed(0)} at most)`,
  )
  console.log(`  ${result.cpuPerMinute.toFixed(2)} s of processor time for a minute of a call`)
  console.log(`  packets heard by a client: ${median(result.heard)} (least ${Math.min(...result.heard)})`)
  console.log(`  before: ${show(result.before)}\n  during: ${show(result.during)}\n  after:  ${show(result.after)}`)
}

console.log(`${cpus().length} processors (${cpus()[0]?.model.trim()}), load average ${loadavg()[0]?.toFixed(1)}`)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
try {
  const port = await freePort()
  const script = fileURLToPath(new URL('./bare-calls.mjs', import.meta.url))
  const bare = await startMeasured({ args: [script, String(port)], url: `http://127.0.0.1:${port}`, ready: '/' })
  const echo = await hold(bare, { path: '/', isAnswered: false, seconds: ECHO_SECONDS })
  await bare.stop()
  print('bare echo of the library', echo)
  const { path } = writeMockLauncher({ folder, name: 'mock.sh', script: { rules: [] } })
  const mock = (name: string, usecase: string, rules: Parameters<typeof mockOptions>[0]['rules'] = []) => ({
    ...{ name, backend: 'mock', known_usecases: [usecase], parameters: { model: `${name}.bin` } },
    options: mockOptions({ rules }),
  })
  const server = await startServer({
    folder,
    flags: ['--external-grpc-backends', `mock:${path}`],
    models: [
      mock('brain', 'chat', [{ rpc: 'Predict*', do: { text: ANSWER } }]),
      mock('mouth', 'tts'),
      mock('ear', 'transcript'),
      { name: 'talk', pipeline: { llm: 'brain', tts: 'mouth', transcription: 'ear' } },
    ],
  })
  try {
    for (let round = 1; round <= rounds; round++) {
      const own = await hold(server, { path: '/v1/realtime/calls?model=talk', isAnswered: true, seconds })
      print(`server, round ${round}`, own)
      console.log(`  processor time against the bare echo: ${(own.cpuPerMinute / echo.cpuPerMinute).toFixed(2)}`)
    }
  } finally {
    await server.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// The library has threads of its own that would keep this process.
process.exit(0)
