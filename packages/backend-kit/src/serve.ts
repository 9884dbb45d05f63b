import { SvcError } from '@svc/errors'
import { parseArguments, USAGE } from './arguments.ts'
import { exitOnFaults } from './faults.ts'
import type { BackendHandlers, ExtensionHandlers } from './handlers.ts'
import { listenBackend, type RunningBackend } from './listen.ts'
import { readParentWatch, watchParent } from './parent-watch.ts'
import { stopOnSignals } from './shutdown.ts'
import { removeSocket } from './unix-socket.ts'

/** Options of {@link serveBackend}. */
export interface ServeOptions {
  readonly handlers: BackendHandlers
  readonly extensions?: ExtensionHandlers | undefined
  /** Arguments after the script. @default the arguments of this process */
  readonly argv?: readonly string[] | undefined
  /** Environment. @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Frees the engine; runs after the last call, before the process exits. */
  readonly onStop?: (() => Promise<void> | void) | undefined
}

/**
 * Turns this process into a backend. It listens on `--addr` and requires the token in `LOCALAI_GRPC_AUTH_TOKEN` if
 * there is one. It exits with 1 when the parent is gone. SIGTERM and SIGINT stop it: running calls get 4 seconds, then
 * exit code 0; a second signal exits at once. Wrong arguments print the usage and exit with 2. An uncaught error exits
 * with 1 and one line on stderr: the host starts another process.
 *
 * @example
 * await serveBackend({
 *   handlers: {
 *     loadModel: () => ({ success: true, message: 'loaded' }),
 *     predict: (request) => ({ message: Buffer.from(request.Prompt.toUpperCase()) }),
 *   },
 * })
 */
export async function serveBackend(options: ServeOptions): Promise<RunningBackend> {
  const { argv = process.argv.slice(2), env = process.env } = options
  exitOnFaults()
  const command = parseArguments(argv)
  if (command.kind === 'help') return exit(0, USAGE, console.log)
  if (command.kind === 'usage-error') return exit(2, `${command.message}\n${USAGE}`, console.error)

  const backend = await listen(options, command.address, env.LOCALAI_GRPC_AUTH_TOKEN)
  if (backend.address.startsWith('unix:')) {
    const path = backend.address.slice('unix:'.length)
    process.on('exit', () => removeSocket(path))
  }
  const watch = readParentWatch(env)
  if (watch.enabled) {
    watchParent(watch, () => exit(1, 'the parent process is gone, stopping', console.error))
  }
  stopOnSignals(async () => {
    await backend.close()
    await options.onStop?.()
  })
  console.log(`listening on ${backend.address}`)
  return backend
}

async function listen(options: ServeOptions, address: string, token: string | undefined): Promise<RunningBackend> {
  const { handlers, extensions } = options
  try {
    return await listenBackend({ handlers, extensions, address, token })
  } catch (error) {
    return exit(1, SvcError.is(error) ? error.message : String(error), console.error)
  }
}

function exit(code: number, message: string, print: (message: string) => void): never {
  print(message)
  process.exit(code)
}
