import { piiAnalysis, piiEventList, piiRedaction } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { startPiiWorld } from '../support/pii-world.ts'
import { verifies } from './verifies.ts'

const MAIL = 'ada@host.example'
const ANALYZE = '/api/pii/analyze'
const REDACT = '/api/pii/redact'

/** Each key is a caller of its name; `root` is an admin, `eve` may not do a thing. */
const people = createPeople((name) => (name === 'eve' ? { features: new Set() } : {}))
const as = (name: string) => ({ authorization: `Bearer ${name}` })

describe('POST /api/pii/analyze', () => {
  verifies(
    [
      'pii-api:analyze:detects',
      'pii-api:analyze:shape',
      'pii-api:analyze:entity',
      'pii-api:request:text',
      'pii-api:request:detectors',
    ],
    'lists the findings of the named detectors in the text as one document, and changes nothing',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner', { entity_actions: { LOCATION: 'block' }, default_action: 'allow' })
      await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
      const text = `Grüße\n\nin Paris: ${MAIL}, tick-1234`
      const reply = await world.server.post(ANALYZE, { text, detectors: ['ner', 'tickets', 'ner'] })
      expect(reply.status).toBe(200)
      expect(piiAnalysis.parse(reply.json())).toEqual({
        blocked: true,
        correlation_id: expect.any(String),
        entities: [
          {
            entity_type: 'LOCATION',
            source: 'ner',
            start: 12,
            end: 17,
            score: expect.closeTo(0.6, 5),
            action: 'block',
          },
          { entity_type: 'EMAIL', source: 'ner', start: 19, end: 35, score: expect.closeTo(0.99, 5), action: 'allow' },
          { entity_type: 'TICKET', source: 'pattern', start: 37, end: 46, score: 1, action: 'mask' },
        ],
      })
      const calls = world.server.records('ner').filter(({ rpc, event }) => rpc === 'TokenClassify' && event === 'start')
      expect(calls.map(({ request }) => request)).toEqual([expect.objectContaining({ text })])
    },
  )

  verifies('pii-api:request:offset-encoding', 'counts bytes, code units or characters, as asked', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    const spans: Record<string, unknown> = {}
    for (const offset_encoding of [undefined, 'utf8', 'utf16', 'codepoint']) {
      const reply = await world.server.post(ANALYZE, { text: `ü😀 ${MAIL}`, detectors: ['ner'], offset_encoding })
      spans[String(offset_encoding)] = piiAnalysis.parse(reply.json()).entities.map(({ start, end }) => [start, end])
    }
    expect(spans).toEqual({ undefined: [[7, 23]], utf8: [[7, 23]], utf16: [[4, 20]], codepoint: [[3, 19]] })
    const wrong = await world.server.post(ANALYZE, { text: 'x', detectors: ['ner'], offset_encoding: 'utf32' })
    expect([wrong.status, wrong.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request', message: expect.stringContaining('invalid request body') } },
    ])
  })

  verifies('pii-api:request:reveal', 'gives prefixes of hashes only to admins who ask for them', async () => {
    await using world = await startPiiWorld({ authenticator: people })
    await world.ner('ner')
    const ask = async (name: string, reveal: boolean) =>
      piiAnalysis.parse((await world.server.post(ANALYZE, { text: MAIL, detectors: ['ner'], reveal }, as(name))).json())
        .entities[0]?.hash_prefix
    // sha256 of ada@host.example
    expect(await ask('root', true)).toBe('1fcb5df6')
    expect(await ask('root', false)).toBeUndefined()
    expect(await ask('ann', true)).toBeUndefined()
  })

  it('names the fault of a request', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.server.model('m')
    const detectors = Array.from({ length: 33 }, (_, index) => `d${index}`)
    for (const [body, message] of [
      [{ text: 'x' }, 'no PII detectors specified'],
      [{ text: 'x', detectors: ['nobody'] }, 'unknown PII detector: "nobody"'],
      [{ text: 'x', detectors: ['m'] }, 'unknown PII detector: "m"'],
      [{ text: 'x', detectors }, 'more than 32 PII detectors'],
      [{ detectors: ['ner'] }, 'invalid request body'],
      [{ text: 5, detectors: ['ner'] }, 'invalid request body'],
      [[], 'invalid request body'],
    ] as const) {
      const reply = await world.server.post(ANALYZE, body)
      expect([body, reply.status, reply.json()]).toEqual([
        body,
        400,
        { error: expect.objectContaining({ type: 'invalid_request', message: expect.stringContaining(message) }) },
      ])
    }
  })
})

describe('the policy of a model', () => {
  verifies(
    ['pii-api:request:model', 'pii-api:model:no-policy'],
    'is used when a request names one: its own detectors, or the defaults of the instance; without any it is an error',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner')
      await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
      await world.server.model('own', {}, { pii: { enabled: true, detectors: ['tickets'] } })
      await world.server.model('bare', {}, { pii: { enabled: true } })
      await world.server.model('off', {}, { pii: { enabled: false, detectors: ['ner'] } })
      await world.server.model('unset', {}, { pii: { detectors: ['ner'] } })
      await world.far('far')
      const redact = async (model: string) => {
        const reply = await world.server.post(REDACT, { text: `${MAIL} tick-1234`, model })
        const { redacted_text: redacted, error } = reply.json() as Record<string, { message?: string } | string>
        return [reply.status, redacted ?? error]
      }
      const none = [400, expect.objectContaining({ message: 'no PII detectors specified', type: 'invalid_request' })]
      expect(await redact('own')).toEqual([200, `${MAIL} [REDACTED:pattern:TICKET]`])
      for (const model of ['bare', 'off', 'unset', 'far', ''])
        expect([model, await redact(model)]).toEqual([model, none])
      const unknown = { message: 'unknown model: "nobody"', type: 'invalid_request' }
      expect(await redact('nobody')).toEqual([400, expect.objectContaining(unknown)])
      await world.server.post('/api/settings', { pii_default_detectors: ['ner'] })
      for (const model of ['bare', 'far'])
        expect([model, await redact(model)]).toEqual([model, [200, '[REDACTED:ner:EMAIL] tick-1234']])
      for (const model of ['off', 'unset']) expect([model, await redact(model)]).toEqual([model, none])
      const direct = await world.server.post(REDACT, {
        text: `${MAIL} tick-1234`,
        model: 'off',
        detectors: ['tickets'],
      })
      expect(direct.json()).toMatchObject({ redacted_text: `${MAIL} [REDACTED:pattern:TICKET]` })
    },
  )
})

describe('analyze and redact', () => {
  verifies('pii-api:access:feature', 'need a key with their feature, not an admin', async () => {
    await using world = await startPiiWorld({ authenticator: people })
    await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
    for (const path of [ANALYZE, REDACT]) {
      const ask = (headers = {}) => world.server.post(path, { text: 'tick-1234', detectors: ['tickets'] }, headers)
      expect([path, (await ask(as('ann'))).status, (await ask(as('root'))).status]).toEqual([path, 200, 200])
      expect((await ask()).status).toBe(401)
      const refused = await ask(as('eve'))
      expect([refused.status, refused.json()]).toEqual([
        403,
        {
          error: expect.objectContaining({
            type: 'authorization_error',
            message: 'feature not enabled for your account: pii_filter',
          }),
        },
      ])
    }
    const events = await world.server.call('/api/pii/events?user_id=eve', { headers: as('root') })
    expect(events.json()).toEqual({ events: [] })
  })
})

describe('POST /api/pii/redact', () => {
  verifies(
    ['pii-api:redact:applies', 'pii-api:redact:shape', 'pii-api:redact:placeholder', 'pii-api:reply:no-raw-value'],
    'returns the text with its findings masked, and never a masked value',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner', { entity_actions: { LOCATION: 'allow' } })
      await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
      const text = `"${MAIL}"\n\\ in Paris: tick-1234 😀`
      const reply = await world.server.post(REDACT, { text, detectors: ['ner', 'tickets'], reveal: true })
      expect(reply.status).toBe(200)
      expect(piiRedaction.parse(reply.json())).toMatchObject({
        redacted_text: '"[REDACTED:ner:EMAIL]"\n\\ in Paris: [REDACTED:pattern:TICKET] 😀',
        blocked: false,
        masked: true,
        entities: [{ action: 'mask' }, { action: 'allow' }, { action: 'mask' }],
      })
      expect(reply.text).not.toMatch(/ada@|tick-1234/)
      const untouched = await world.server.post(REDACT, { text: 'in Paris', detectors: ['ner'] })
      expect(untouched.json()).toMatchObject({ redacted_text: 'in Paris', masked: false })
      const empty = await world.server.post(REDACT, { text: '', detectors: ['ner'] })
      expect(empty.json()).toMatchObject({ redacted_text: '', masked: false, entities: [] })
    },
  )

  verifies('pii-api:redact:blocked', 'refuses a blocked text, and lists the findings', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner', { entity_actions: { EMAIL: 'block' } })
    const reply = await world.server.post(REDACT, { text: `${MAIL} in Paris`, detectors: ['ner'] })
    expect([reply.status, reply.json()]).toEqual([
      400,
      {
        error: expect.objectContaining({
          type: 'pii_blocked',
          message: 'text blocked by content policy (sensitive data detected)',
        }),
        entities: [
          { entity_type: 'EMAIL', source: 'ner', start: 0, end: 16, score: expect.any(Number), action: 'block' },
          { entity_type: 'LOCATION', source: 'ner', start: 20, end: 25, score: expect.any(Number), action: 'mask' },
        ],
        correlation_id: expect.any(String),
      },
    ])
    expect(reply.text).not.toMatch(/redacted_text|ada@|Paris/)
  })

  verifies('pii-api:detector:failed', 'answers 503 where a detector fails, as analyze does', async () => {
    await using world = await startPiiWorld()
    const failure = { status: 'INTERNAL', message: `cannot read ${MAIL}` } as const
    const rules = [{ rpc: 'TokenClassify', do: { failure } }]
    await world.server.model('ner', { rules }, { known_usecases: ['token_classify'], pii_detection: {} })
    for (const path of [ANALYZE, REDACT]) {
      const reply = await world.server.post(path, { text: MAIL, detectors: ['ner'] })
      const { error, correlation_id, pii_event_id } = reply.json() as Record<string, unknown>
      expect([path, reply.status, error]).toEqual([path, 503, expect.objectContaining({ type: 'pii_ner_unavailable' })])
      expect(reply.text).not.toContain('ada@')
      expect(await world.events(`?correlation_id=${String(correlation_id)}`)).toMatchObject([
        {
          id: pii_event_id,
          pattern_id: '__ner_unavailable__',
          action: 'block',
          origin: path.slice(1).replaceAll('/', '_').slice(4),
        },
      ])
    }
    expect(world.server.logLines.join('')).not.toContain('ada@')
  })
})

describe('GET /api/pii/events', () => {
  verifies(
    ['pii-events:route:read', 'pii-events:query:origin', 'events:pii:origin'],
    'lists findings, the newest first, under any of its names',
    async () => {
      await using world = await startPiiWorld({ authenticator: people })
      await world.ner('ner')
      await world.server.model('m', {}, { pii: { enabled: true, detectors: ['ner'] } })
      const messages = [{ role: 'user', content: `I am ${MAIL}` }]
      await world.server.post('/v1/chat/completions', { model: 'm', messages }, as('ann'))
      await world.server.post(ANALYZE, { text: 'in Paris', detectors: ['ner'] }, as('ben'))
      await world.server.post(REDACT, { text: MAIL, detectors: ['ner'] }, as('ben'))
      const list = async (query = '') => {
        const reply = await world.server.call(`/api/pii/events${query}`, { headers: as('root') })
        return piiEventList.parse(reply.json()).events
      }
      const all = await list()
      expect(all).toMatchObject([
        {
          origin: 'pii_redact',
          user_id: 'ben',
          pattern_id: 'ner:EMAIL',
          byte_offset: 0,
          length: 16,
          hash_prefix: '1fcb5df6',
        },
        { origin: 'pii_analyze', user_id: 'ben', pattern_id: 'ner:LOCATION', byte_offset: 3, length: 5 },
        { origin: 'middleware', user_id: 'ann', byte_offset: 5, hash_prefix: '1fcb5df6', direction: 'in' },
      ])
      expect(JSON.stringify(all)).not.toMatch(/ada@|Paris/)
      const [redacted, analyzed, inline] = all
      const id = String(inline?.correlation_id)
      for (const [query, expected] of [
        ['?origin=pii_redact', [redacted]],
        ['?origin=pii_analyze', [analyzed]],
        ['?origin=middleware', [inline]],
        ['?origin=proxy', []],
        ['?origin=', all],
        ['?user_id=ben', [redacted, analyzed]],
        ['?user_id=ben&pattern_id=ner:EMAIL', [redacted]],
        ['?kind=pii', all],
        ['?kind=admission', []],
        [`?correlation_id=${id}`, [inline]],
        ['?limit=1', [redacted]],
        ['?limit=-1', all],
        ['?limit=x', all],
        ['?origin=', all],
        [`?pattern_id=${encodeURIComponent('ner:%')}`, []],
      ] as const) {
        expect([query, await list(query)]).toEqual([query, expected])
      }
      for (const origin of ["' OR 1=1 --", 'nobody']) {
        const query = `?origin=${encodeURIComponent(origin)}`
        const refused = await world.server.call(`/api/pii/events${query}`, { headers: as('root') })
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('unknown origin')])
      }
      expect((await world.server.call('/api/pii/events', { headers: as('ann') })).status).toBe(403)
    },
  )
})
