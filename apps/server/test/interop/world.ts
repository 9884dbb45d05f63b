import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'
import { type InstallOptions, installBackend } from './python.ts'

/** One recorded line of the Python backend. */
export type PythonRecord = Readonly<Record<string, unknown>> & { readonly pid: number }

/** A server with the Python backend installed. */
export interface InteropServer extends TestServer {
  /** Folder of the installed backend. */
  readonly backend: string
  /** Writes a model file of the Python backend; options as `backend.py` names them. */
  words(name: string, options?: readonly string[], keys?: Readonly<Record<string, unknown>>): Promise<void>
  /** Reads the recorded requests for a model. */
  recorded(model: string): Promise<readonly PythonRecord[]>
}

/** Starts a server and installs the Python backend into its backends folder. */
export async function startInteropServer(
  python: string,
  options: TestServerOptions &
    InstallOptions & { /** Name of the folder of the backend. */ readonly installAs?: string } = {},
): Promise<InteropServer> {
  const server = await startTestServer(options)
  const backend = installBackend(python, join(server.folder, 'backends', options.installAs ?? 'reverse-words'), options)
  const file = (model: string): string => join(server.folder, 'records', `${model}.python`)
  return {
    ...server,
    backend,
    words: (name, extra = [], keys = {}) =>
      server.writeModelFile(
        `${name}.yaml`,
        JSON.stringify({
          name,
          backend: 'reverse-words',
          known_usecases: ['chat'],
          parameters: { model: `${name}.bin` },
          template: { use_tokenizer_template: true },
          options: [`record:${file(name)}`, ...extra],
          ...keys,
        }),
      ),
    async recorded(model) {
      const text = await readFile(file(model), 'utf8').catch(() => '')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    },
  }
}

/** Whether a process still runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  return stat !== undefined && stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
}
