import { parseArgs } from 'node:util'
import { parseBackendAddress } from '@svc/backend-client/proto'

/** Usage of a backend program. */
export const USAGE = `usage: --addr <host:port | unix:/path>

  --addr  where to listen for gRPC calls; port 0 takes a free one
  --help  print this`

/** The command in the arguments of a backend. */
export type BackendCommand =
  | { readonly kind: 'serve'; readonly address: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'usage-error'; readonly message: string }

/** Reads the arguments that every backend takes. Pure. */
export function parseArguments(argv: readonly string[]): BackendCommand {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { addr: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) return { kind: 'help' }
    if (values.addr === undefined) return { kind: 'usage-error', message: '--addr is missing' }
    parseBackendAddress(values.addr)
    return { kind: 'serve', address: values.addr }
  } catch (error) {
    return { kind: 'usage-error', message: error instanceof Error ? error.message : String(error) }
  }
}
