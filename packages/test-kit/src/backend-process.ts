import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type BackendClient, createBackendClient } from '@svc/backend-client'
import { patience } from './patience.ts'
import { type TempDir, tempDir } from './temp-dir.ts'

/**
 * A backend in a process of its own, and a client of it. The process and the folder are gone at the end of the scope.
 */
export interface BackendProcess extends AsyncDisposable {
  readonly client: BackendClient
  readonly child: ChildProcess
  /** A folder for the files of the test; the socket lies in it too. */
  readonly dir: TempDir
  /** Output of the process so far, stdout and stderr. */
  readonly output: () => string
  /** Ends the process with SIGTERM and returns its exit code; null after a signal. */
  readonly stop: () => Promise<number | null>
}

/** Arguments of Node that run a program of this repository from its sources. */
export function sourceArguments(program: URL): string[] {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  return ['--conditions=@svc/source', '--import', tsx, fileURLToPath(program)]
}

/**
 * Starts a backend from its sources, on a socket, and waits until it is healthy.
 *
 * @param program its main file
 * @param env variables beside the variables of this process
 * @example
 * await using backend = await startBackendProcess(new URL('../src/main.ts', import.meta.url))
 * await backend.client.loadModel({ Model: 'm' })
 */
export async function startBackendProcess(
  program: URL,
  env: Readonly<Record<string, string>> = {},
): Promise<BackendProcess> {
  const dir = await tempDir()
  const address = `unix:${dir.join('socket')}`
  const child = spawn(process.execPath, [...sourceArguments(program), '--addr', address], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk))
  const exited = once(child, 'exit')
  const client = createBackendClient({ address })
  const dispose = async (): Promise<void> => {
    client.close()
    child.kill('SIGKILL')
    await exited
    await dir.close()
  }
  try {
    await client.waitUntilReady({ signal: patience(), exited })
  } catch (error) {
    await dispose()
    throw new Error(`the backend did not start: ${written}`, { cause: error })
  }
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    await exited
    return child.exitCode
  }
  return { client, child, dir, output: () => written, stop, [Symbol.asyncDispose]: dispose }
}
