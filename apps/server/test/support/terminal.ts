import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { eventually } from '@svc/test-kit'
import { BUILT_ENTRY, toEnvironment } from './built-server.ts'

/** The built program at a terminal of its own. */
export interface Terminal extends AsyncDisposable {
  /** Everything that the terminal got so far. */
  output(): string
  /** Waits until the terminal has got a text since the last wait. */
  shows(text: string): Promise<void>
  /** Types keys. */
  type(keys: string): void
  /** Sends a signal to the program; Linux only. */
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code of the program. */
  readonly exited: Promise<number | null>
}

/** Whether terminals can be made here: by `script` of util-linux. */
export const HAS_TERMINALS = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs the built program in a folder at a terminal. */
export function openTerminal(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const command = `exec ${[process.execPath, BUILT_ENTRY, ...args].map(quote).join(' ')}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: folder,
    env: toEnvironment(folder, { env: { TERM: 'xterm-256color', SHELL: '/bin/sh', ...env } }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.on('error', () => undefined)
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return {
    output: () => output,
    async shows(text) {
      await eventually(() => {
        const at = output.indexOf(text, seen)
        if (at === -1) throw new Error(`${JSON.stringify(text)} is not in ${JSON.stringify(output.slice(seen))}`)
        seen = at + text.length
      })
    },
    type: (keys) => void child.stdin.write(keys),
    signal(name) {
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      for (const pid of children.trim().split(' ')) process.kill(Number(pid), name)
    },
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
