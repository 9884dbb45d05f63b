import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { tempDir } from '@svc/test-kit'
import { writeContract } from './python.ts'

const CLIENT = fileURLToPath(new URL('./python/client.py', import.meta.url))

/** One call of the contract, in the JSON form of its messages. */
export interface PythonCall {
  readonly rpc: string
  readonly request?: Readonly<Record<string, unknown>> | undefined
  /** @default 'backend.Backend' */
  readonly service?: string | undefined
  /** Another token than the backend's; null sends none. */
  readonly token?: string | null | undefined
  /** Cancels after this many replies. */
  readonly take?: number | undefined
}

/** Result of a call in Python: its replies and, after a failure, the status. */
export interface PythonAnswer {
  readonly replies: readonly Readonly<Record<string, unknown>>[]
  /** Name of the gRPC status. */
  readonly code?: string | undefined
  readonly details?: string | undefined
}

/** A Python host with one backend as its child. */
export interface PythonHost extends AsyncDisposable {
  readonly pid: number
  readonly backendPid: number
  /** Address of the backend. */
  readonly address: string
  call(call: PythonCall): Promise<PythonAnswer>
  /** Output of the backend so far. */
  output(): string
  /** Sends KILL only to the host; the backend must notice. */
  kill(): void
  /** Ends the host's input; the host stops its backend by TERM and exits as the backend did. */
  stop(): Promise<number | null>
}

/** Starts a backend program as the child of a Python host. */
export async function startPythonHost(
  python: string,
  command: readonly string[],
  options: { readonly token?: string | undefined } = {},
): Promise<PythonHost> {
  const dir = await tempDir()
  writeContract(dir.join('contract.pb'))
  const token = options.token === undefined ? [] : ['--token', options.token]
  const args = [CLIENT, '--contract', dir.join('contract.pb'), ...token, '--', ...command]
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(python, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', TMPDIR: dir.path, HOME: dir.join('home') },
  })
  let written = ''
  child.stderr.on('data', (chunk: Buffer) => (written += chunk))
  child.stdin.on('error', () => undefined)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<object> => {
    const line = await lines.next()
    if (line.done === true) throw new Error(`the Python host ended:\n${written}`)
    const value: unknown = JSON.parse(line.value)
    if (typeof value !== 'object' || value === null) throw new Error(`not an answer: ${line.value}`)
    return value
  }
  let backendPid = 0
  let address = ''
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    endGroup(backendPid)
    await dir.close()
  }
  try {
    const first = await answer()
    backendPid = Number(Reflect.get(first, 'pid'))
    address = String(Reflect.get(first, 'address'))
  } catch (error) {
    await close()
    throw error
  }
  return {
    pid: child.pid ?? 0,
    backendPid,
    address,
    async call(call) {
      child.stdin.write(`${JSON.stringify(call)}\n`)
      const { replies, code, details } = Object.fromEntries(Object.entries(await answer()))
      return { replies, code, details }
    },
    output: () => written,
    kill: () => void child.kill('SIGKILL'),
    stop() {
      child.stdin.end()
      return exited
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The backend leads its own group; the group may already be gone. */
function endGroup(pid: number): void {
  if (pid <= 0) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

/** Joins the bytes of replies. */
export function joinText(replies: PythonAnswer['replies']): string {
  return Buffer.concat(replies.map(({ message }) => Buffer.from(String(message ?? ''), 'base64'))).toString('utf8')
}
