import type { ServerConfig } from '../../config/schema.ts'
import { createServerClient, toServerUrl } from '../remote-client.ts'
import { printErrorLine } from '../terminal.ts'

/**
 * `svc mcp`: speaks the Model Context Protocol on standard input and output, for the running server. Nothing else is
 * written to standard output. It ends with standard input.
 *
 * @throws {SvcError} of the connection, or the refusal of the server
 */
export async function runMcpCommand(config: ServerConfig): Promise<void> {
  const url = toServerUrl(config)
  const [key] = config.apiKeys
  // A wrong address or key is said before a client speaks.
  await createServerClient(url, config).get('/version')
  const { runBridge } = await import('./bridge.ts')
  const ending = new AbortController()
  const end = (): void => ending.abort()
  process.stdout.once('error', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  await runBridge({
    input: process.stdin,
    output: process.stdout,
    url: new URL('mcp', url),
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    signal: ending.signal,
    onProblem: printErrorLine,
  })
}
