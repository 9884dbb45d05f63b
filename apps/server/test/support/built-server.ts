import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MockRecord, type MockScript, mockOptions, readRecords, writeMockLauncher } from '@svc/backend-mock/script'
import { collectLines, eventually, patienceMs, tempDir } from '@svc/test-kit'
import { stringify } from 'yaml'

/** The entry that users start. */
export const BUILT_ENTRY = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** End of a process. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Options of a program; it runs in its folder. */
export interface ProgramOptions {
  /** Variables beside `PATH`, `HOME`, `LANG` and a `TMPDIR` in the folder; nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Standard input of a command. @default nothing */
  readonly input?: string | undefined
  /** Another path to the entry. @default the build */
  readonly entry?: string | undefined
}

/** Options of a built server beside its address. */
export interface BuiltServerOptions extends ProgramOptions {
  readonly flags?: readonly string[] | undefined
  /** The folder of all its files; a given one stays at the end. @default a new one */
  readonly folder?: string | undefined
  /** Registers the backend `mock` with a script that applies before a model is loaded. @default no mock */
  readonly mock?: MockScript | undefined
}

/** One line of the log. */
export type LogEntry = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string }

/** A server in its own process, as users run it. */
export interface BuiltServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  readonly folder: string
  /** Standard output and error so far. */
  output(): string
  log(): readonly LogEntry[]
  /** Resolves with the first line of the log, past or future, with this message. */
  logged(message: string): Promise<LogEntry>
  /** Closes the reading ends of its standard output and error. */
  hangUp(): void
  /** Lists the ids of live backend processes and their children; Linux only. */
  backends(): readonly number[]
  /** Writes a model file of the mock. */
  model(name: string, script?: MockScript, keys?: Readonly<Record<string, unknown>>): Promise<void>
  /** Reads the mock's records of a model. */
  records(model: string): readonly MockRecord[]
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<ProcessEnd>
  /** Sends TERM; resolves with its end. */
  stop(): Promise<ProcessEnd>
  /** Sends KILL; resolves with its end. */
  kill(): Promise<ProcessEnd>
}

/** Whether processes can be found by their environment here. */
export const CAN_SEE_PROCESSES = existsSync('/proc/self/environ')

/** Lists live processes that a program of this folder started, directly or indirectly. */
export function listProcesses(folder: string): number[] {
  if (!CAN_SEE_PROCESSES) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readEnvironment(pid).includes(`\0TMPDIR=${folder}\0`))
}

/** Reads an environment, with zeros between variables; empty for an ended process. */
function readEnvironment(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
  } catch {
    return ''
  }
}

function endProcesses(folder: string): number {
  const pids = listProcesses(folder)
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // it has ended meanwhile
    }
  }
  return pids.length
}

const folders = new Set<string>()
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) endProcesses(folder)
})

interface Program {
  readonly child: ChildProcess
  readonly stdout: ReturnType<typeof collectLines>
  readonly stderr: ReturnType<typeof collectLines>
  readonly exited: Promise<ProcessEnd>
}

/** The variables of a program. */
export function toEnvironment(folder: string, { env = {} }: Pick<ProgramOptions, 'env'>): Record<string, string> {
  const { PATH = '', HOME = folder } = process.env
  return { PATH, HOME, LANG: 'C.UTF-8', TMPDIR: folder, ...env }
}

function startProgram(folder: string, args: readonly string[], options: ProgramOptions): Program {
  const { entry = BUILT_ENTRY, input } = options
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run npm test, which builds first`)
  folders.add(folder)
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: folder,
    env: toEnvironment(folder, options),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A command may end before it has read its input.
  child.stdin.on('error', () => undefined).end(input)
  running.add(child)
  const exited = new Promise<ProcessEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  return { child, stdout: collectLines(child.stdout), stderr: collectLines(child.stderr), exited }
}

/** Output and end of a command. */
export interface CommandOutcome extends ProcessEnd {
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of the built program in a folder; kills one that does not end. */
export async function runBuilt(
  folder: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<CommandOutcome> {
  const program = startProgram(folder, args, options)
  const done = Promise.all([program.exited, program.stdout.ended, program.stderr.ended])
  const [ending, stdout, stderr] = await withPatience(program, done)
  return { ...ending, stdout: stdout.join('\n'), stderr: stderr.join('\n') }
}

/** Waits for a program's own action; kills the program when it does not come. */
async function withPatience<T>({ child }: Program, outcome: Promise<T>): Promise<T> {
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs())
  return outcome.finally(() => clearTimeout(timer))
}

/** Starts the built server on a free port of the loopback interface and waits until it listens. */
export async function startBuiltServer(options: BuiltServerOptions = {}): Promise<BuiltServer> {
  const own = options.folder === undefined ? await tempDir('svc-e2e-') : undefined
  const folder = options.folder ?? own?.path ?? ''
  const program = startProgram(
    folder,
    ['run', ...defaultFlags(folder, options.mock), ...(options.flags ?? [])],
    options,
  )
  const close = async (): Promise<void> => {
    program.child.kill('SIGKILL')
    await program.exited
    await eventually(() => {
      if (endProcesses(folder) > 0) throw new Error('processes are still ending')
    })
    folders.delete(folder)
    await own?.close()
  }
  const output = (): string => [...program.stdout.lines, ...program.stderr.lines].join('\n')
  try {
    const { url } = parseEntry(await withPatience(program, program.stdout.waitFor('"msg":"listening"')))
    return { ...toServer(program, folder), url: String(url), output, [Symbol.asyncDispose]: close }
  } catch (cause) {
    const { code, signal } = await program.exited
    const shown = output()
    await close()
    throw new Error(`the server ended with ${signal ?? `code ${code}`} before it listened:\n${shown}`, { cause })
  }
}

function defaultFlags(folder: string, mock: MockScript | undefined): string[] {
  const flags = ['--address', '127.0.0.1:0', '--log-format', 'json', '--backends-system-path', join(folder, 'system')]
  if (mock === undefined) return flags
  const { path } = writeMockLauncher({ folder, name: 'mock.sh', script: mock })
  return [...flags, '--external-grpc-backends', `mock:${path}`]
}

function toServer(program: Program, folder: string): Omit<BuiltServer, 'url' | 'output' | typeof Symbol.asyncDispose> {
  const { child, stdout, exited } = program
  const fileName = (model: string): string => model.replaceAll('/', '-')
  const recordFile = (model: string): string => join(folder, 'records', fileName(model))
  const signal = (name: NodeJS.Signals): void => void child.kill(name)
  const endWith = (name: NodeJS.Signals): Promise<ProcessEnd> => {
    signal(name)
    return exited
  }
  return {
    folder,
    pid: child.pid ?? 0,
    log: () => stdout.lines.flatMap((line) => (line.startsWith('{') ? [parseEntry(line)] : [])),
    logged: async (message) => parseEntry(await stdout.waitFor(`"msg":${JSON.stringify(message)}`)),
    hangUp() {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    backends: () => listProcesses(folder).filter((pid) => pid !== child.pid),
    async model(name, script = {}, keys = {}) {
      await mkdir(join(folder, 'records'), { recursive: true })
      const text = stringify({
        name,
        backend: 'mock',
        known_usecases: ['chat'],
        parameters: { model: `${fileName(name)}.bin` },
        options: mockOptions({ record: recordFile(name), ...script }),
        ...keys,
      })
      await writeFile(join(folder, 'models', `${fileName(name)}.yaml`), text)
    },
    records: (model) => readRecords(recordFile(model)),
    signal,
    exited,
    stop: () => endWith('SIGTERM'),
    kill: () => endWith('SIGKILL'),
  }
}

function parseEntry(line: string): LogEntry {
  const entry: unknown = JSON.parse(line)
  if (typeof entry !== 'object' || entry === null || !('level' in entry) || !('msg' in entry)) {
    throw new Error(`not a line of the log: ${line}`)
  }
  return { ...entry, level: String(entry.level), msg: String(entry.msg) }
}
