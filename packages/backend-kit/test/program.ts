import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { collectLines, sourceArguments } from '@svc/test-kit'

const PROGRAMS = {
  backend: new URL('./programs/backend.ts', import.meta.url),
  parent: new URL('./programs/parent.ts', import.meta.url),
}

/** Arguments that run one of the programs beside this file from its source. */
export function programArguments(name: keyof typeof PROGRAMS): string[] {
  return sourceArguments(PROGRAMS[name])
}

/** A backend program that runs. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcess
  /** Everything it wrote to stdout so far. */
  readonly output: () => string
  /** The lines it wrote to stderr, once it has ended. */
  readonly complaints: Promise<readonly string[]>
  /** The address that it prints. */
  readonly address: Promise<string>
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | string | null>
}

/** Starts the backend program, which ends with the scope. */
export function startProgram(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, [...programArguments('backend'), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const exited = once(child, 'exit').then(([code, signal]: unknown[]) => (code ?? signal) as number | string | null)
  const complaints = collectLines(child.stderr).ended
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
    complaints,
    address,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
