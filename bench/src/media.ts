// Measures the upload of a recording and streamed speech through the server over a bare relay of node:http, node:http2
// and a reader of forms, in one run: rounds in turn, each server on processor 0, backend and load on processor 1. Both
// have the same backend, which answers prepared messages.
//   pnpm --filter @svc/bench media [-- --rounds 5 --uploads 10 --megabytes 15 --pieces 100]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { startBackend } from './relay-sides.ts'
import { startServer } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '5' },
    uploads: { type: 'string', default: '10' },
    megabytes: { type: 'string', default: '15' },
    pieces: { type: 'string', default: '100' },
  },
})
const [rounds, requests, megabytes, pieces] = [
  Number(values.rounds),
  Number(values.uploads),
  Number(values.megabytes),
  Number(values.pieces),
]
const MB = 1024 * 1024
const BARE = fileURLToPath(new URL('./bare-media.mjs', import.meta.url))
const MODEL = { name: 'm', backend: 'mock', known_usecases: ['transcript', 'tts'], parameters: { model: 'm.bin' } }

/** A kind of request. */
interface Kind {
  readonly name: string
  ask(url: string): Promise<number>
}

/** A WAV file of silence. */
function makeRecording(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(megabytes * MB)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(bytes.length - 8, 4)
  head.write('WAVEfmt ', 8)
  for (const [place, value] of [
    [16, 16],
    [24, 16_000],
    [28, 32_000],
    [40, bytes.length - 44],
  ] as const) {
    head.writeUInt32LE(value, place)
  }
  for (const [place, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, place)
  head.write('data', 36)
  bytes.set(head)
  return bytes
}
const recording = new Blob([makeRecording()])

const KINDS: readonly Kind[] = [
  {
    name: `upload of ${megabytes} MB`,
    async ask(url) {
      const form = new FormData()
      form.append('model', 'm')
      form.append('file', recording, 'talk.wav')
      const reply = await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body: form })
      const text = await reply.text()
      if (!text.includes('word')) throw new Error(`${reply.status} ${text.slice(0, 200)}`)
      return text.length
    },
  },
  {
    name: `streamed speech of ${pieces} pieces of 16 KiB`,
    async ask(url) {
      const body = JSON.stringify({ model: 'm', input: 'Hello', stream: true, response_format: 'pcm' })
      const headers = { 'content-type': 'application/json' }
      const reply = await fetch(`${url}/v1/audio/speech`, { method: 'POST', headers, body })
      const { byteLength } = await reply.arrayBuffer()
      if (byteLength !== pieces * 16_384) throw new Error(`${reply.status}: ${byteLength} bytes of speech`)
      return byteLength
    },
  },
]

/** The highest memory so far, in MiB. */
function peakMemory({ pid }: Measured): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Processor milliseconds and wall milliseconds of a request. */
async function measure(server: Measured, kind: Kind): Promise<{ readonly cpu: number; readonly wall: number }> {
  const [begun, before] = [performance.now(), server.cpuSeconds()]
  for (let request = 0; request < requests; request += 1) await kind.ask(server.url)
  return {
    cpu: ((server.cpuSeconds() - before) / requests) * 1000,
    wall: (performance.now() - begun) / requests,
  }
}

async function startBare(folder: string, backendPort: number): Promise<Measured> {
  const port = await freePort()
  const args = [BARE, String(port), String(backendPort), folder]
  return startMeasured({ cpu: 0, args, url: `http://127.0.0.1:${port}`, ready: '/' })
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const backend = await startBackend(folder, pieces)
const servers: Measured[] = []
try {
  const bare = await startBare(folder, backend.port)
  servers.push(bare)
  const flags = ['--upload-limit=64', `--external-grpc-backends=mock:127.0.0.1:${backend.port}`]
  const svc = await startServer({ folder: join(folder, 'svc'), models: [MODEL], flags, cpu: 0 })
  servers.push(svc)
  for (const kind of KINDS) {
    for (const server of servers) await measure(server, kind)
    const [idleBare, idleSvc] = [peakMemory(bare), peakMemory(svc)]
    const figures: { readonly bare: number; readonly svc: number; readonly wall: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [first, second] = [await measure(bare, kind), await measure(svc, kind)]
      figures.push({ bare: first.cpu, svc: second.cpu, wall: second.wall / first.wall })
    }
    const ratio = median(figures.map((figure) => figure.svc / figure.bare))
    console.log(
      `${kind.name}: processor ${median(figures.map((figure) => figure.bare)).toFixed(1)} ms bare, ` +
        `${median(figures.map((figure) => figure.svc)).toFixed(1)} ms here, ratio ${ratio.toFixed(2)} (goal 1.3); ` +
        `time ${median(figures.map(({ wall }) => wall)).toFixed(2)}; more memory after ${rounds * requests} requests: ` +
        `${(peakMemory(bare) - idleBare).toFixed(0)} MiB bare, ${(peakMemory(svc) - idleSvc).toFixed(0)} MiB here`,
    )
  }
} finally {
  for (const server of servers) await server.stop()
  backend.stop()
  rmSync(folder, { recursive: true, force: true })
}
