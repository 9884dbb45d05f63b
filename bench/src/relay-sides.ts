import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeMessage, Reply, Result, TranscriptResult } from '@svc/backend-client/proto'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { BUILT_SERVER, FIVE_PATTERNS, startServer } from './server.ts'
import type { StartedProgram } from './start-times.ts'

/** A server under measurement that answers chats by way of the backend. */
export interface Side {
  readonly name: string
  readonly server: Measured
  readonly headers: Readonly<Record<string, string>>
  /** What is started to measure a start; absent where that is of no interest. */
  readonly start?: StartedProgram | undefined
  /** What is started to measure memory, and the first chat after a start; absent where that is of no interest. */
  readonly fresh?: StartedProgram | undefined
  /** Address from which its profile can be fetched. */
  readonly pprof?: string | undefined
}

/** Parts that all sides share. */
export interface Stage {
  readonly folder: string
  readonly backendPort: number
}

const BACKEND = fileURLToPath(new URL('./chat-backend.mjs', import.meta.url))
const BARE_RELAY = fileURLToPath(new URL('./bare-chat-relay.mjs', import.meta.url))
const BARE_START = fileURLToPath(new URL('./bare-start.mjs', import.meta.url))
const KEY = 'bench-key'
/** Bytes of a piece of speech. */
const SPEECH_BYTES = 16_384

/** Starts the backend of all sides on processor 1. Every message has the text ` word`. */
export async function startBackend(folder: string, pieces: number): Promise<{ readonly port: number; stop(): void }> {
  const reply = encodeMessage(Reply, Reply.fromPartial({ message: Buffer.from(' word'), tokens: 7, promptTokens: 40 }))
  const replies = {
    Health: encodeMessage(Reply, Reply.fromPartial({ message: Buffer.from('OK') })).toString('hex'),
    LoadModel: encodeMessage(Result, Result.fromPartial({ success: true, message: 'loaded' })).toString('hex'),
    Free: encodeMessage(Result, Result.fromPartial({ success: true })).toString('hex'),
    Predict: reply.toString('hex'),
    PredictStream: reply.toString('hex'),
    AudioTranscription: encodeMessage(TranscriptResult, TranscriptResult.fromPartial({ text: 'word' })).toString('hex'),
    TTSStream: encodeMessage(Reply, Reply.fromPartial({ audio: Buffer.alloc(SPEECH_BYTES) })).toString('hex'),
  }
  const file = join(folder, 'replies.json')
  writeFileSync(file, JSON.stringify({ replies, pieces }))
  const port = await freePort()
  const child = spawn('taskset', ['-c', '1', process.execPath, BACKEND, String(port), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return { port, stop: () => void child.kill() }
}

/** The bare relay. Its start is that of Node with an HTTP server. */
export async function startBare({ backendPort }: Stage): Promise<Side> {
  const toProgram = async (script: string): Promise<StartedProgram> => {
    const port = await freePort()
    return { args: [script, String(port), String(backendPort)], url: `http://127.0.0.1:${port}`, ready: '/' }
  }
  const server = await startMeasured({ cpu: 0, ...(await toProgram(BARE_RELAY)) })
  const [start, fresh] = [await toProgram(BARE_START), await toProgram(BARE_RELAY)]
  return { name: 'bare relay', server, headers: {}, start, fresh }
}

const CHAT_MODEL = { name: 'm', backend: 'mock', known_usecases: ['chat'], parameters: { model: 'm.bin' } }

/** The built server as it is, or with shared keys and five patterns on; metrics and usage are recorded in both. */
export async function startSvc({ folder, backendPort }: Stage, kind: 'plain' | 'filtered'): Promise<Side> {
  const own = join(folder, kind)
  const pprofPort = await freePort()
  const isFiltered = kind === 'filtered'
  const server = await startServer({
    folder: own,
    models: isFiltered
      ? [
          { ...CHAT_MODEL, pii: { enabled: true, detectors: ['secrets'] } },
          { name: 'secrets', backend: 'pattern', pii_detection: { builtins: FIVE_PATTERNS } },
        ]
      : [CHAT_MODEL],
    flags: [
      `--external-grpc-backends=mock:127.0.0.1:${backendPort}`,
      '--pprof',
      `--pprof-address=127.0.0.1:${pprofPort}`,
      ...(isFiltered ? [`--api-keys=${KEY}`] : []),
    ],
    cpu: 0,
  })
  const side = {
    name: isFiltered ? 'svc, keys and five patterns' : 'svc',
    server,
    headers: isFiltered ? { authorization: `Bearer ${KEY}` } : {},
    pprof: `http://127.0.0.1:${pprofPort}`,
  }
  if (isFiltered) return side
  const start = await freshServer(join(folder, 'start'), { backendPort })
  return { ...side, start, fresh: start }
}

/** A server on folders of its own, with the demo models, as a user starts it, and a model of the backend. */
export async function freshServer(
  folder: string,
  { backendPort, entry = BUILT_SERVER }: { readonly backendPort: number; readonly entry?: string },
): Promise<StartedProgram> {
  const models = join(folder, 'models')
  mkdirSync(models, { recursive: true })
  writeFileSync(join(models, 'm.yaml'), JSON.stringify(CHAT_MODEL))
  const port = await freePort()
  const places = ['models', 'data', 'backends'].map((name) => `--${name}-path=${join(folder, name)}`)
  const backend = `--external-grpc-backends=mock:127.0.0.1:${backendPort}`
  const own = [`--address=127.0.0.1:${port}`, `--config-dir=${join(folder, 'config')}`]
  return { args: [entry, 'run', ...own, ...places, backend], url: `http://127.0.0.1:${port}`, ready: '/readyz' }
}

/** The reference server, where `LOCALAI_BIN` names its binary. */
export async function startReference({ folder, backendPort }: Stage, binary: string): Promise<Side> {
  const models = join(folder, 'reference')
  mkdirSync(models, { recursive: true })
  writeFileSync(join(models, 'm.yaml'), JSON.stringify(CHAT_MODEL))
  writeFileSync(join(models, 'm.bin'), '')
  const toProgram = async (): Promise<StartedProgram & { readonly command: string }> => {
    const port = await freePort()
    const backend = `--external-grpc-backends=mock:127.0.0.1:${backendPort}`
    const args = ['run', `--address=127.0.0.1:${port}`, `--models-path=${models}`, backend]
    return { command: binary, args, url: `http://127.0.0.1:${port}`, ready: '/readyz' }
  }
  const server = await startMeasured({ cpu: 0, ...(await toProgram()) })
  const start = await toProgram()
  return { name: 'reference', server, headers: {}, start, fresh: start }
}
