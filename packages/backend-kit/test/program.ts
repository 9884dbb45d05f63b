import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const tsx = createRequire(import.meta.url).resolve('tsx')

const PROGRAMS = {
  backend: new URL('./programs/backend.ts', import.meta.url),
  parent: new URL('./programs/parent.ts', import.meta.url),
}

/** Arguments that run one of the programs beside this file from its source. */
export function programArguments(name: keyof typeof PROGRAMS): string[] {
  return ['--conditions=@svc/source', '--import', tsx, fileURLToPath(PROGRAMS[name])]
}

/** A backend program that runs. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess
  /** Everything it wrote to stdout so far. */
  readonly output: () => string
  /** The address it says that it listens on. */
  readonly address: Promise<string>
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | string | null>
}

/** Starts the backend program. Ends with it. */
export function startProgram(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, [...programArguments('backend'), ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => (code ?? signal) as number | string | null)
  let output = ''
  const address = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`
      const [, found] = /^listening on (.+)$/.exec(line) ?? []
      if (found) resolve(found)
    })
    exited.then(() => reject(new Error('the program ended before it listened')), reject)
  })
  address.catch(() => {})
  return {
    child,
    output: () => output,
    address,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
