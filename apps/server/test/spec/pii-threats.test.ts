import { describe, expect, it } from 'vitest'
import { type PiiWorld, startPiiWorld } from '../support/pii-world.ts'

/* Attempts to evade the filter that need a whole server, by their ids. The upstream must never get the secret. */

const SECRET = 'tick-20261122'
const MASK = '[REDACTED:pattern:TICKET]'
const CHAT = '/v1/chat/completions'
const JSON_TYPE = { 'content-type': 'application/json' }
const PATTERNS = { TICKET: 'tick-[0-9]{8}' }

/** A model upstream that a detector of patterns filters, and one without a filter. */
async function startWorld(detection: Record<string, unknown> = {}): Promise<PiiWorld> {
  const world = await startPiiWorld()
  await world.patterns('tickets', PATTERNS, detection)
  await world.far('far', { pii: { enabled: true, detectors: ['tickets'] } })
  await world.far('open', { pii: { enabled: false } })
  return world
}

/** Lists the texts that the upstream got, one for each request. */
function received({ upstream }: PiiWorld): string[] {
  return upstream.requests.map((request) => request.text())
}

describe('PII-7: a secret that stands encoded in a message', () => {
  const words = `my ticket is ${SECRET}`
  const forms = {
    base64: btoa(words),
    hex: Buffer.from(words).toString('hex'),
    percent: SECRET.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
    html: SECRET.replace(/./g, (character) => `&#${character.charCodeAt(0)};`),
    reversed: [...SECRET].reverse().join(''),
  }
  const body = {
    model: 'far',
    messages: Object.values(forms).map((form) => ({ role: 'user', content: `é: ${form}.` })),
  }

  it('is masked completely when the detector names its encoding', async () => {
    await using world = await startWorld({ encodings: Object.keys(forms) })
    expect((await world.server.post(CHAT, body)).status).toBe(200)
    const messages = Object.keys(forms).map(() => ({ role: 'user', content: `é: ${MASK}.` }))
    expect(received(world)).toEqual([JSON.stringify({ ...body, messages })])
    const text = `é: ${forms.base64}`
    const reply = await world.server.post('/api/pii/analyze', { text, detectors: ['tickets'] })
    expect(reply.json()).toMatchObject({
      entities: [{ entity_type: 'TICKET', source: 'pattern', start: 4, end: 4 + forms.base64.length, action: 'mask' }],
    })
  })

  it('is masked in a text that another thread looks at', async () => {
    await using world = await startWorld({ encodings: ['base64', 'reversed'] })
    const filler = 'nothing to see here. '.repeat(5000)
    const toBody = (...secrets: string[]) => ({
      model: 'far',
      messages: [{ role: 'user', content: secrets.map((secret) => `${filler}<${secret}>`).join('') }],
    })
    const reply = await world.server.post(CHAT, toBody(forms.base64, forms.reversed))
    expect(reply.status).toBe(200)
    expect(received(world)).toEqual([JSON.stringify(toBody(MASK, MASK))])
  })

  it('goes on unchanged when the detector names no encoding, because patterns are searched in the original', async () => {
    await using world = await startWorld()
    await world.server.post(CHAT, body)
    expect(received(world)).toEqual([JSON.stringify(body)])
  })

  it.each([
    ['an encoding that is none', { encodings: ['rot13'] }],
    ['encodings for no pattern', { patterns: undefined, encodings: ['hex'] }],
  ])('makes a file with %s one that is not used', async (_, detection) => {
    await using world = await startWorld()
    await world.ner('people', detection)
    const reload = await world.server.post('/models/reload', {})
    expect(reload.text + world.server.logLines.join('\n')).toContain('encodings')
    const reply = await world.server.post('/api/pii/analyze', { text: 'x', detectors: ['people'] })
    expect(reply.status).toBe(400)
  })
})

describe('PII-9: bytes that another reader may read differently', () => {
  it.each([
    ['a byte order mark', Buffer.from(`\ufeff{"model":"far","messages":[{"content":"${SECRET}"}]}`)],
    ['a comment', Buffer.from(`{"model":"far","messages":[{"content":"x"}]/*${SECRET}*/}`)],
    ['NaN', Buffer.from(`{"model":"far","n":NaN,"messages":[{"content":"${SECRET}"}]}`)],
    ['no UTF-8', Buffer.from(`{"model":"far","messages":[{"content":"\xff${SECRET}"}]}`, 'latin1')],
    ['twins of a key', Buffer.from(`{"model":"far","messages":[],"MESSAGES":[{"content":"${SECRET}"}]}`)],
  ])('are refused: %s', async (_, body) => {
    await using world = await startWorld()
    const reply = await world.server.call(CHAT, { method: 'POST', headers: JSON_TYPE, body })
    expect([reply.status, reply.text]).toEqual([400, expect.not.stringContaining(SECRET)])
    expect(received(world)).toEqual([])
  })
})

it('PII-10: a model named anywhere but in the body has no effect, under any path of the route', async () => {
  await using world = await startWorld()
  const paths = world.server.server.routes.find(({ path }) => path === CHAT)
  const aliases = [CHAT, ...(paths?.aliases ?? [])]
  for (const path of aliases) {
    const body = { model: 'far', messages: [{ role: 'user', content: `for ${SECRET}` }] }
    const reply = await world.server.post(`${path}?model=open`, body)
    expect([path, reply.status]).toEqual([path, 200])
  }
  expect(world.upstream.requests.map(({ path }) => path.split('/')[1])).toEqual(aliases.map(() => 'far'))
  expect(received(world).join()).not.toContain(SECRET)
})

describe('PII-11: text documents inside of a request', () => {
  const data = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('base64')

  it.each<[string, string, (text: string) => object]>([
    [
      'a file of a chat, in UTF-16',
      CHAT,
      (text) => ({
        type: 'file',
        file: { file_data: `data:text/plain;charset=utf-16le;base64,${data(text, 'utf16le')}` },
      }),
    ],
    [
      'a document of a message, in UTF-16',
      '/v1/messages',
      (text) => ({
        type: 'document',
        source: { type: 'base64', media_type: 'text/plain; charset=utf-16', data: data(`\ufeff${text}`, 'utf16le') },
      }),
    ],
    [
      'a document of a message, in UTF-8',
      '/v1/messages',
      (text) => ({ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: data(text, 'utf8') } }),
    ],
  ])('are masked in their own charset: %s', async (_, path, part) => {
    await using world = await startWorld()
    await world.far(
      'far',
      { pii: { enabled: true, detectors: ['tickets'] } },
      path === CHAT ? {} : { provider: 'provider_b' },
    )
    const toBody = (text: string) => ({
      model: 'far',
      max_tokens: 5,
      messages: [{ role: 'user', content: [part(text)] }],
    })
    expect((await world.server.post(path, toBody(`é ${SECRET} 🔑`))).status).toBe(200)
    expect(received(world)).toEqual([JSON.stringify(toBody(`é ${MASK} 🔑`))])
  })

  it('count as unscanned media, which the policy of a model may refuse', async () => {
    await using world = await startWorld()
    await world.far('strict', { pii: { enabled: true, block_unscanned_media: true } })
    const url = `data:text/plain;charset=shift_jis;base64,${data('x', 'utf8')}`
    const messages = [{ role: 'user', content: [{ type: 'new_kind', data: url }] }]
    const reply = await world.server.post(CHAT, { model: 'strict', messages })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('"pii_blocked"')])
    expect(received(world)).toEqual([])
  })
})
