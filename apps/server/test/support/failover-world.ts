import { startUpstream, type Upstream } from '@svc/test-kit'
import { stringify } from 'yaml'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'
import { writeForwarded } from './server-pair.ts'

export const json = { 'content-type': 'application/json' }
export const eventStream = { 'content-type': 'text/event-stream' }

/** A chat completion with this content. */
export const said = (content: string): string =>
  JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] })

/** The event of a streamed completion. */
export const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

/** Two instances as failover targets. */
export interface FailoverWorld extends AsyncDisposable {
  readonly server: TestServer
  readonly first: Upstream
  readonly second: Upstream
  /** Writes the failover group `m`, by default of `one` and `two`. */
  writeGroup(failover?: Record<string, unknown>, keys?: Record<string, unknown>): Promise<void>
}

/** A server with the models `one` and `two` of two instances. */
export async function startFailoverWorld(options: TestServerOptions = {}): Promise<FailoverWorld> {
  const server = await startTestServer(options)
  const [first, second] = [await startUpstream(), await startUpstream()]
  await writeForwarded(server, { name: 'one', url: first.origin })
  await writeForwarded(server, { name: 'two', url: second.origin })
  const world: FailoverWorld = {
    server,
    first,
    second,
    writeGroup: (failover = {}, keys = {}) =>
      server.writeModelFile(
        'm.yaml',
        stringify({
          name: 'm',
          known_usecases: ['chat', 'completion', 'embeddings'],
          failover: { targets: [{ model: 'one' }, { model: 'two' }], ...failover },
          ...keys,
        }),
      ),
    async [Symbol.asyncDispose]() {
      await server.close()
      await first.close()
      await second.close()
    },
  }
  await world.writeGroup()
  first.replyWith({ headers: json, body: said('first') })
  second.replyWith({ headers: json, body: said('second') })
  return world
}
