import { SvcError } from '@svc/errors'
import type { ServerConfig } from '../../config/schema.ts'
import { createServerClient, type ServerClient, toServerUrl } from '../remote-client.ts'
import { printErrorLine } from '../terminal.ts'

/**
 * `svc mcp`: speaks the Model Context Protocol on standard input and output, for the running server. Nothing else is
 * written to standard output. It ends with standard input.
 *
 * @throws {SvcError} of the connection, or the refusal of the server
 */
export async function runMcpCommand(config: ServerConfig): Promise<void> {
  const url = new URL('mcp', toServerUrl(config))
  const [key] = config.apiKeys
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  await checkServer(createServerClient(toServerUrl(config), config))
  const { runBridge } = await import('./bridge.ts')
  const ending = new AbortController()
  const end = (): void => ending.abort()
  process.stdout.once('error', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  await runBridge({
    input: process.stdin,
    output: process.stdout,
    url,
    headers,
    signal: ending.signal,
    onProblem: printErrorLine,
  })
}

/** Says what is wrong with an address or a key before a client speaks. @throws as {@link runMcpCommand} */
async function checkServer(server: ServerClient): Promise<void> {
  const status = await server.status('/mcp')
  // A caller who may go on is asked for a session.
  if (status === 400) return
  if (status === 404) throw new SvcError('not_found', 'this server has no tools for an assistant')
  await server.get('/mcp')
}
