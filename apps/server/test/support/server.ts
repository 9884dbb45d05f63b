import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MockRecord, type MockScript, mockOptions, readRecords, writeMockLauncher } from '@svc/backend-mock/script'
import { removeFolder } from '@svc/test-kit'
import { onTestFailed } from 'vitest'
import { stringify } from 'yaml'
import { systemClock } from '../../src/clock.ts'
import { compose, type RunningServer } from '../../src/compose.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Authenticator } from '../../src/http/middleware/authenticate.ts'
import type { StageObserver } from '../../src/inference/core/pipeline.ts'
import { createLogger } from '../../src/logging/log.ts'
import type { Clock } from '../../src/ports.ts'
import type { PriceBook } from '../../src/spend/price-book.ts'
import { addDetectors, addDetectorsToFile, EVERY_DETECTOR } from './detectors.ts'
import { HTTP_READER } from './http-reader.ts'
import { call, type RawReply, type RawRequest } from './test-app.ts'

/** A server in this process, in its own folders, with the mock as its backend. */
export interface TestServer {
  readonly url: string
  readonly folder: string
  readonly modelsPath: string
  readonly configDir: string
  readonly logLines: string[]
  readonly server: RunningServer
  call(path: string, options?: RawRequest): Promise<RawReply>
  /** Sends JSON by POST. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<RawReply>
  /** Sends a chat with one message of the user. */
  chat(model: string, extra?: Record<string, unknown>, headers?: Record<string, string>): Promise<RawReply>
  /** Writes a model file of the mock. */
  model(name: string, script?: MockScript, keys?: Record<string, unknown>): Promise<void>
  writeModelFile(file: string, text: string): Promise<void>
  /** Reads the mock's records of a model. */
  records(model: string): MockRecord[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of a test server. */
export interface TestServerOptions {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files of the configuration folder that exist before the start. */
  readonly configFiles?: Readonly<Record<string, string>>
  /** Identifies callers. @default the shared keys of the settings */
  readonly authenticator?: Authenticator
  /** Observes each stage that a request enters. */
  readonly observeStage?: StageObserver
  /** @default the clocks of the machine */
  readonly clock?: Clock
  /** The folder of another server, which has ended, or of the test. @default a new one */
  readonly folder?: string
  /** The folder of a packed web interface. @default none */
  readonly webFolder?: string
  /** The prices of models. @default none */
  readonly prices?: PriceBook
  /** Resolves the names of hosts for the intercepting proxy. @default the system's resolver */
  readonly lookup?: LookupFunction
}

/** For each folder that was made here, the number of open servers that use it. */
const users = new Map<string, number>()

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
  users.set(folder, 0)
  return folder
}

/** Removes a folder that was made here, once its last server is closed. */
async function leaveFolder(folder: string): Promise<void> {
  const left = users.get(folder)
  if (left === undefined) return
  users.set(folder, left - 1)
  if (left > 1) return
  users.delete(folder)
  await removeFolder(folder)
}

/** Starts a server on a free port; by default it has no models. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = options.folder ?? (await openFolder())
  const known = users.get(folder)
  if (known !== undefined) users.set(folder, known + 1)
  const at = (name: string): string => join(folder, name)
  for (const name of ['models', 'configuration', 'records']) await mkdir(at(name), { recursive: true })
  for (const [name, text] of Object.entries(options.configFiles ?? {}))
    await writeFile(join(at('configuration'), name), text)
  for (const [name, keys] of Object.entries(EVERY_DETECTOR))
    await writeFile(join(at('models'), `${name}.yaml`), stringify({ name, ...keys }))
  const launcher = writeMockLauncher({ folder, name: 'mock.sh' })
  const command = loadConfig({
    argv: [
      'run',
      '--address=127.0.0.1:0',
      `--models-path=${at('models')}`,
      `--data-path=${at('data')}`,
      `--config-dir=${at('configuration')}`,
      `--backends-path=${at('backends')}`,
      `--backends-system-path=${at('system')}`,
      `--external-grpc-backends=mock:${launcher.path}`,
      ...(options.flags ?? []),
    ],
    env: { SVC_DEMO_MODEL: 'false', SVC_HTTP_READER: HTTP_READER, ...options.env },
    cwd: folder,
  })
  if (command.kind !== 'run') throw new Error(JSON.stringify(command))
  const logLines: string[] = []
  const server = await compose({
    config: command.config,
    sources: command.sources,
    version: '0.0.0 (0000000)',
    log: createLogger({ level: 'trace', format: 'json', destination: { write: (line) => logLines.push(line) } }),
    clock: options.clock ?? systemClock,
    environment: { ...process.env, ...options.env },
    // the weights are checked before the llama backend starts, so any program will do
    builtInBackends: { llama: { entry: launcher.args.at(-1) ?? '', execArgv: launcher.args.slice(0, -1) } },
    demoModels: [],
    webFolder: options.webFolder,
    prices: options.prices,
    authenticator: options.authenticator,
    observeStage: options.observeStage,
    lookup: options.lookup,
  })
  const ask = async (path: string, request?: RawRequest): Promise<RawReply> => {
    const reply = await call(server.url, path, request)
    if (reply.status === 500) tellOnFailure(`${path} answered 500: ${reply.text}`, logLines)
    return reply
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<RawReply> =>
    ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  let closed = false
  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await server.close()
    await leaveFolder(folder)
  }
  return {
    url: server.url,
    folder,
    modelsPath: at('models'),
    configDir: at('configuration'),
    logLines,
    server,
    call: ask,
    post,
    chat: (model, extra = {}, headers = {}) =>
      post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello there' }], ...extra }, headers),
    async model(name, script = {}, keys = {}) {
      const text = stringify({
        name,
        backend: 'mock',
        known_usecases: ['chat'],
        template: { use_tokenizer_template: true },
        parameters: { model: `${name}.bin` },
        options: mockOptions({ record: join(at('records'), name), ...script }),
        ...addDetectors(keys),
      })
      await writeFile(join(at('models'), `${name}.yaml`), text)
    },
    writeModelFile: (file, text) => writeFile(join(at('models'), file), addDetectorsToFile(text)),
    records: (model) => readRecords(join(at('records'), model)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Prints a fault of the server, with its last warnings, if the test that saw it fails. */
function tellOnFailure(fault: string, logLines: readonly string[]): void {
  const warnings = logLines.filter((line) => !/"level":"(?:trace|debug|info)"/.test(line)).slice(-10)
  try {
    onTestFailed(() => console.error([fault, ...warnings].join('\n')))
  } catch {
    // Asked by a hook, which has no test to fail.
  }
}

/** Parses the data of each event of a server-sent stream, except `[DONE]`. */
export function sseData(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => block.slice(6))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
}
