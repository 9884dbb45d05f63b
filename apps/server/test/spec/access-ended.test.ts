import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSse } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const MODEL = { model: 'm', messages: [{ role: 'user', content: 'Hello there' }] }

/** A server whose model streams without end, after a request has waited for it. */
async function startWorld(behaviour: Record<string, unknown>) {
  const server = await startTestServer({ configFiles: { 'api_keys.json': '["stays","goes"]' } })
  await server.model('m', { rules: [{ rpc: 'PredictStream', do: behaviour }] })
  return {
    server,
    ask: (key: string, path = '/v1/chat/completions') =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ ...MODEL, max_tokens: 1000, stream: true }),
      }),
    takeAway: () => writeFile(join(server.configDir, 'api_keys.json'), '["stays"]'),
    [Symbol.asyncDispose]: server.close,
  }
}

describe('AU-7: when a key is taken away', () => {
  it.each(['/v1/chat/completions', '/v1/messages'])(
    'streams of %s that it opened end, those of other keys go on',
    async (path) => {
      await using world = await startWorld({ text: 'on ', repeat: 100_000, pieceDelayMs: 20 })
      const [gone, staying] = await Promise.all([world.ask('goes', path), world.ask('stays', path)])
      const [goneEvents, stayingEvents] = [readSse(gone), readSse(staying)]
      await goneEvents.next()
      await stayingEvents.next()
      await world.takeAway()
      const rest: string[] = []
      for await (const { data = '' } of goneEvents) rest.push(data)
      expect(rest.slice(-2).join()).toContain('access has ended')
      expect((await stayingEvents.next()).done).toBe(false)
      expect((await world.ask('goes', path)).status).toBe(401)
      await staying.body?.cancel().catch(() => undefined)
      await stayingEvents.return?.().catch(() => undefined)
    },
  )

  it('a request that waits for its model ends with the refusal', async () => {
    await using world = await startWorld({ hang: true })
    const asked = world.ask('goes')
    while (world.server.records('m').every(({ rpc }) => rpc !== 'PredictStream')) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await world.takeAway()
    expect((await asked).status).toBe(401)
  })
})
