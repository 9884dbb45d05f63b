import { describe, expect, it } from 'vitest'
import { startPiiWorld } from '../support/pii-world.ts'

const SECRET = 'tick-1234'
const MASK = '[REDACTED:pattern:TICKET]'
/** Documents above 64 Ki code units are scanned on another thread. */
const FILLER = 'Grüße aus Ulm 🚲 '.repeat(20_000)

describe('PII-13: a request with more text than is scanned on the main thread', () => {
  it('is masked, refused and written down as any other', async () => {
    await using world = await startPiiWorld()
    await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
    await world.patterns('blocking', { TICKET: 'tick-[0-9]{4}' }, { default_action: 'block' })
    await world.far('masked', { pii: { enabled: true, detectors: ['tickets'] } })
    await world.far('blocked', { pii: { enabled: true, detectors: ['tickets', 'blocking'] } })
    const ask = (model: string, content: string) => {
      return world.server.post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
    }

    expect((await ask('masked', `${SECRET} ${FILLER}${SECRET}`)).status).toBe(200)
    const [sent] = world.upstream.requests
    expect(JSON.parse(Buffer.from(sent?.body ?? []).toString())).toMatchObject({
      messages: [{ content: `${MASK} ${FILLER}${MASK}` }],
    })
    const offset = Buffer.byteLength(`${SECRET} ${FILLER}`)
    expect((await world.events()).map(({ byte_offset, length }) => [byte_offset, length])).toEqual([
      [offset, 9],
      [0, 9],
    ])

    const refused = await ask('blocked', FILLER + SECRET)
    expect([refused.status, refused.json()]).toMatchObject([400, { error: { type: 'pii_blocked' } }])
    expect(world.upstream.requests).toHaveLength(1)
  })

  it('is found in by patterns and recognisers alike', async () => {
    await using world = await startPiiWorld()
    await world.ner('both', { patterns: [{ name: 'TICKET', match: 'tick-[0-9]{4}' }] })
    const text = `${FILLER}ada@host.example ${SECRET}`
    const reply = await world.server.post('/api/pii/redact', { text, detectors: ['both'] })
    expect(reply.json()).toMatchObject({ redacted_text: `${FILLER}[REDACTED:ner:EMAIL] ${MASK}` })
  })
})
