import { SvcError } from '@svc/errors'

/**
 * Exit codes of a refused start, as `sysexits.h` numbers them: 75 somebody else holds what the server needs, try again
 * later; 78 something on disk or in the configuration must be mended first.
 */
export type StartExitCode = 75 | 78

/**
 * The server must not start. The message is one sentence for the operator's terminal, and may hold paths: it is never
 * shown to a client.
 */
export class StartRefused extends SvcError {
  override readonly name = 'StartRefused'
  readonly exitCode: StartExitCode

  constructor(message: string, options: { readonly exitCode: StartExitCode; readonly cause?: unknown }) {
    super(options.exitCode === 75 ? 'conflict' : 'precondition_failed', message, {
      code: 'start_refused',
      cause: options.cause,
    })
    this.exitCode = options.exitCode
  }
}
