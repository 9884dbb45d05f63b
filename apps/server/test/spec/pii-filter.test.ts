import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { MAIL_SOURCE } from '../support/detectors.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const NER = { known_usecases: ['token_classify'] }
const FILTERED = { known_usecases: ['chat', 'completion', 'edit'], pii: { enabled: true, detectors: ['ner'] } }

/** A server with a detector of the mock and a filtered model. */
async function filtered(
  detection: Record<string, unknown> = {},
  model: Record<string, unknown> = {},
): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('ner', {}, { ...NER, pii_detection: detection })
  await server.model('m', {}, { ...FILTERED, ...model })
  return server
}

/** Gives everything that a model was sent, as text. */
function sent(server: TestServer, model = 'm'): string {
  return JSON.stringify(server.records(model))
}

async function events(server: TestServer, query = ''): Promise<Record<string, unknown>[]> {
  const reply = await server.call(`/api/pii/events${query}`)
  return (reply.json() as { events: Record<string, unknown>[] }).events
}

describe('a masked request', () => {
  it('continues with the mask in place of the finding, and leaves events without the text', async () => {
    await using server = await filtered()
    const reply = await server.post('/v1/chat/completions', {
      model: 'm',
      messages: [
        { role: 'system', content: 'Mail to root@host.example only.' },
        { role: 'user', content: [{ type: 'text', text: 'I am ada@host.example' }] },
      ],
    })
    expect(reply.status).toBe(200)
    expect(sent(server)).toContain(`Mail to [REDACTED:${MAIL_SOURCE}:EMAIL] only.`)
    expect(sent(server)).toContain(`I am [REDACTED:${MAIL_SOURCE}:EMAIL]`)
    expect(sent(server)).not.toContain('host.example')
    const found = await events(server)
    expect(found).toMatchObject([
      {
        pattern_id: `${MAIL_SOURCE}:EMAIL`,
        byte_offset: 5,
        length: 16,
        segment: 'messages[1].content[0].text',
        action: 'mask',
      },
      {
        pattern_id: `${MAIL_SOURCE}:EMAIL`,
        byte_offset: 8,
        length: 17,
        segment: 'messages[0].content',
        origin: 'middleware',
      },
    ])
    expect(JSON.stringify(found)).not.toContain('host.example')
    expect(server.logLines.join('\n')).not.toContain('host.example')
  })
})

describe('a blocked request', () => {
  it('is refused with 400 in the format of the route, and nothing of it reaches the model', async () => {
    await using server = await filtered({ default_action: 'allow', entity_actions: { EMAIL: 'block' } })
    const reply = await server.post('/v1/messages', {
      model: 'm',
      max_tokens: 5,
      system: 'Ask ada@host.example',
      messages: [{ role: 'user', content: 'hi' }],
    })
    expect([reply.status, reply.json()]).toEqual([
      400,
      {
        type: 'error',
        error: { type: 'pii_blocked', message: 'request blocked by content policy (sensitive data detected)' },
        correlation_id: reply.headers['x-correlation-id'],
        pii_event_id: expect.stringMatching(/^pii_/),
      },
    ])
    expect(server.records('m')).toEqual([])
    const [event] = await events(server)
    expect(event?.id).toBe((reply.json() as { pii_event_id: string }).pii_event_id)
  })
})

describe('a detector that fails', () => {
  it('makes the request fail with 503, and nothing of it reaches the model', async () => {
    await using server = await filtered()
    await server.model(
      'ner',
      { rules: [{ do: { failure: { status: 'INTERNAL', message: 'no' } } }] },
      { ...NER, pii_detection: {} },
    )
    const reply = await server.chat('m')
    expect([reply.status, reply.json()]).toMatchObject([
      503,
      { error: { type: 'pii_ner_unavailable' }, correlation_id: reply.headers['x-correlation-id'] },
    ])
    expect(server.records('m')).toEqual([])
    expect(await events(server)).toMatchObject([{ pattern_id: '__ner_unavailable__', action: 'block' }])
  })
})

describe('reversible redaction', () => {
  it('sends a token for each value and restores it in the reply, whole and streamed', async () => {
    await using server = await filtered({}, { pii: { ...FILTERED.pii, reversible_redactions: true } })
    await server.model(
      'm',
      { rules: [{ do: { text: 'Write to [REDACTED:EMAIL_001] soon', split: 'characters' } }] },
      { ...FILTERED, pii: { ...FILTERED.pii, reversible_redactions: true } },
    )
    const body = { model: 'm', messages: [{ role: 'user', content: 'I am ada@host.example' }] }
    const whole = await server.post('/v1/chat/completions', body)
    expect(whole.json()).toMatchObject({ choices: [{ message: { content: 'Write to ada@host.example soon' } }] })
    expect(sent(server)).toContain('I am [REDACTED:EMAIL_001]')
    const streamed = await server.post('/v1/chat/completions', { ...body, stream: true })
    const text = streamed.text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '')
      .join('')
    expect(text).toBe('Write to ada@host.example soon')
  })
})

describe('POST /api/pii/analyze and /api/pii/redact', () => {
  it('list the findings of a text, and return it masked', async () => {
    await using server = await filtered()
    const body = { text: 'Grüße an ada@host.example', model: 'm' }
    const place = { start: 11, end: 27, score: expect.any(Number), action: 'mask' }
    const found = { entity_type: 'EMAIL', source: MAIL_SOURCE, ...place }
    const analysis = await server.post('/api/pii/analyze', body)
    expect([analysis.status, analysis.json()]).toEqual([
      200,
      { entities: [found], blocked: false, correlation_id: expect.any(String) },
    ])
    const redaction = await server.post('/api/pii/redact', { ...body, offset_encoding: 'utf16', reveal: true })
    expect(redaction.json()).toEqual({
      redacted_text: `Grüße an [REDACTED:${MAIL_SOURCE}:EMAIL]`,
      entities: [{ ...found, start: 9, end: 25, hash_prefix: expect.stringMatching(/^[0-9a-f]{8}$/) }],
      blocked: false,
      masked: true,
      correlation_id: expect.any(String),
    })
    expect(await events(server, '?origin=pii_redact')).toHaveLength(1)
  })
})

describe('a pattern detector', () => {
  it('runs in the server: built-ins and patterns of its file mask or block', async () => {
    await using server = await startTestServer()
    await server.writeModelFile(
      'secrets.yaml',
      stringify({
        name: 'secrets',
        backend: 'pattern',
        pii_detection: {
          builtins: ['provider_a_api_key', 'email'],
          patterns: [{ name: 'TICKET', match: 'tick-[0-9]{4}', action: 'block' }],
        },
      }),
    )
    await server.model('m', {}, { ...FILTERED, pii: { enabled: true, detectors: ['secrets'] } })
    const key = 'sk-proj-abcdefghijklmnopqrstuvwx'
    expect(
      (await server.post('/v1/completions', { model: 'm', prompt: `my key ${key} and a@host.example` })).status,
    ).toBe(200)
    expect(sent(server)).toContain('my key [REDACTED:pattern:PROVIDER_A_KEY] and [REDACTED:pattern:EMAIL]')
    expect(sent(server)).not.toContain(key)
    const refused = await server.post('/api/generate', { model: 'm', prompt: 'about tick-1234' })
    expect([refused.status, refused.json()]).toMatchObject([400, { error: expect.any(String), type: 'pii_blocked' }])
  })
})
