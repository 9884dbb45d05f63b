import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { parseModelFile } from '../../src/catalog/config-file.ts'
import { type PiiWorld, startPiiWorld } from '../support/pii-world.ts'
import { verifies } from './verifies.ts'

const MAIL = 'ada@host.example'
const MASKED = '[REDACTED:ner:EMAIL]'
const CHAT = '/v1/chat/completions'
const filteredBy = (...detectors: string[]) => ({ pii: { enabled: true, detectors } })
const JSON_TYPE = { 'content-type': 'application/json' }

function say(world: PiiWorld, model: string, ...contents: unknown[]) {
  return world.server.post(CHAT, { model, messages: contents.map((content) => ({ role: 'user', content })) })
}

describe('the examples of docs/pii.md', () => {
  it('are model files without a warning', () => {
    const page = readFileSync(fileURLToPath(new URL('../../../../docs/pii.md', import.meta.url)), 'utf8')
    const examples = Array.from(page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, text = '']) => text)
    expect(examples).toHaveLength(9)
    for (const text of examples) {
      const content = text.startsWith('name:') ? text : `name: m\n${text}`
      expect(parseModelFile(content, { file: 'm.yaml', folder: '/models', modifiedAt: 0 }).problems).toEqual([])
    }
  })
})

describe('whether a request is filtered', () => {
  verifies(
    ['pii:enabled:explicit', 'pii:policy:enabled-wins', 'pii:enabled:backend-default', 'model-file:pii:policy'],
    'its model says so; where it does not, requests that go upstream are',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner')
      for (const [name, pii] of [
        ['unset', { detectors: ['ner'] }],
        ['on', { enabled: true, detectors: ['ner'] }],
        ['off', { enabled: false, detectors: ['ner'] }],
      ] as const) {
        await world.server.model(name, {}, { pii })
        await world.far(`far-${name}`, { pii })
        await say(world, name, `I am ${MAIL}`)
        await say(world, `far-${name}`, `I am ${MAIL}`)
      }
      const sent = Object.fromEntries(world.upstream.requests.map(({ path, text }) => [path, text()]))
      for (const [name, isMasked] of [
        ['unset', false],
        ['on', true],
        ['off', false],
      ] as const) {
        expect([name, world.asked(name).includes(MAIL)]).toEqual([name, !isMasked])
        const farIsMasked = name !== 'off'
        expect([name, sent[`/far-${name}`]?.includes(MAIL)]).toEqual([name, !farIsMasked])
      }
    },
  )

  verifies(
    ['pii:enabled:detectors-own-first', 'pii:enabled:no-detector', 'pii:policy:detectors', 'pii:defaults:variable'],
    'uses its own detectors, or the defaults of the instance; without any nothing is scanned',
    async () => {
      const models = async (world: PiiWorld): Promise<void> => {
        await world.ner('ner')
        await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
        await world.patterns('rooms', { ROOM: 'room-[0-9]{2}' })
        await world.server.model('own', {}, filteredBy('rooms'))
        await world.server.model('none', {}, { pii: { enabled: true } })
        for (const name of ['own', 'none']) await say(world, name, `${MAIL} tick-1234 room-12`)
      }
      await using bare = await startPiiWorld()
      await models(bare)
      expect(bare.asked('own')).toContain(`${MAIL} tick-1234 [REDACTED:pattern:ROOM]`)
      expect(bare.asked('none')).toContain(`${MAIL} tick-1234 room-12`)
      expect(await bare.events()).toHaveLength(1)
      await using told = await startPiiWorld({ env: { SVC_PII_DEFAULT_DETECTORS: 'ner, tickets' } })
      await models(told)
      expect(told.asked('own')).toContain(`${MAIL} tick-1234 [REDACTED:pattern:ROOM]`)
      expect(told.asked('none')).toContain(`${MASKED} [REDACTED:pattern:TICKET] room-12`)
    },
  )

  verifies('pii:defaults:next-request', 'follows a saved change of the default detectors at once', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.server.model('m', {}, { pii: { enabled: true } })
    for (const detectors of [[], ['ner'], []]) {
      const saved = await world.server.post('/api/settings', { pii_default_detectors: detectors })
      expect([saved.status, saved.text]).toEqual([200, expect.any(String)])
      await say(world, 'm', `with ${detectors.length}: ${MAIL}`)
    }
    const asked = world.asked('m')
    expect(asked.split(`with 0: ${MAIL}`)).toHaveLength(3)
    expect(asked).toContain(`with 1: ${MASKED}`)
  })

  verifies('pii:defaults:variable-wins', 'follows the variable, when set, over any saved value', async () => {
    await using world = await startPiiWorld({ env: { SVC_PII_DEFAULT_DETECTORS: 'ner' } })
    await world.ner('ner')
    await world.server.model('m', {}, { pii: { enabled: true } })
    await world.server.post('/api/settings', { pii_default_detectors: [] })
    await say(world, 'm', `I am ${MAIL}`)
    expect(world.asked('m')).toContain(`I am ${MASKED}`)
  })

  verifies(
    'model-file:pii-detection:policy',
    'follows a change of its own file and of the files of its detectors at once',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner')
      await world.server.model('m', {}, filteredBy('ner'))
      await say(world, 'm', `one ${MAIL}`)
      await world.ner('ner', { default_action: 'allow' })
      await say(world, 'm', `two ${MAIL}`)
      await world.ner('ner', { default_action: 'block' })
      expect((await say(world, 'm', `three ${MAIL}`)).status).toBe(400)
      await world.server.model('m', {}, { pii: { enabled: false, detectors: ['ner'] } })
      expect((await say(world, 'm', `four ${MAIL}`)).status).toBe(200)
      const asked = world.asked('m')
      for (const text of [`one ${MASKED}`, `two ${MAIL}`, `four ${MAIL}`]) expect(asked).toContain(text)
      expect(asked).not.toContain('three')
    },
  )

  verifies(
    'pii:removed:regex-tier',
    'is not up to the keys of the former pattern tier; replies are never changed; each key is warned of once',
    async () => {
      await using world = await startPiiWorld()
      const patterns = [{ name: 'MAIL', pattern: '[a-z]+@host' }]
      await world.ner('ner')
      await world.server.model(
        'm',
        { rules: [{ do: { text: `Write to ${MAIL}` } }] },
        { pii: { enabled: true, detectors: [], patterns, response: { enabled: true } } },
      )
      const replies = [await say(world, 'm', `I am ${MAIL}`), await say(world, 'm', `I am ${MAIL}`)]
      expect(replies.map(({ status, text }) => [status, text.includes(`Write to ${MAIL}`)])).toEqual([
        [200, true],
        [200, true],
      ])
      expect(world.asked('m')).toContain(`I am ${MAIL}`)
      for (const key of ['pii.patterns', 'pii.response']) {
        expect([key, world.server.logLines.filter((line) => line.includes(key)).length]).toEqual([key, 1])
      }
    },
  )

  verifies('pii:removed:endpoints', 'cannot be asked of the routes of earlier versions', async () => {
    await using world = await startPiiWorld()
    for (const path of ['/api/pii/patterns', '/api/pii/test', '/api/pii/decide']) {
      expect([path, (await world.server.call(path)).status]).toEqual([path, 404])
      expect([path, (await world.server.post(path, { text: 'x' })).status]).toEqual([path, 404])
    }
  })
})

describe('actions of findings', () => {
  verifies(
    ['pii:allow:logs-only', 'events:pii:recorded', 'pii:side:requests-only'],
    'allowed, it goes on and leaves an event; replies are not looked at',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner', { entity_actions: { EMAIL: 'allow', URL: 'mask', LOCATION: 'block' } })
      await world.server.model('m', { rules: [{ do: { text: `Paris: ${MAIL}` } }] }, filteredBy('ner'))
      const reply = await say(world, 'm', `I am ${MAIL}`)
      expect([reply.status, reply.text]).toEqual([200, expect.stringContaining(`Paris: ${MAIL}`)])
      expect(world.asked('m')).toContain(`I am ${MAIL}`)
      await say(world, 'm', 'see http://host.example/x')
      await say(world, 'm', 'in Paris')
      expect((await world.events()).map(({ pattern_id, action }) => [pattern_id, action])).toEqual([
        ['ner:LOCATION', 'block'],
        ['ner:URL', 'mask'],
        ['ner:EMAIL', 'allow'],
      ])
    },
  )

  verifies('pii:overlap:strongest', 'overlapping, the strongest action takes all of it', async () => {
    await using world = await startPiiWorld()
    await world.patterns('inner', { INNER: 'host-[0-9]{2}' })
    await world.patterns('outer', { OUTER: 'at host-[0-9]{2} now' }, { default_action: 'allow' })
    await world.patterns('tail', { TAIL: '[0-9]{2} now or never' }, { default_action: 'block' })
    await world.server.model('m', {}, filteredBy('outer', 'inner', 'tail'))
    await say(world, 'm', 'be at host-12 now, please')
    expect(world.asked('m')).toContain('be [REDACTED:pattern:INNER], please')
    const refused = await say(world, 'm', 'be at host-13 now or never')
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('pii_blocked')])
    expect(world.asked('m')).not.toContain('host-')
    expect(await world.events()).toMatchObject([
      { pattern_id: 'pattern:TAIL', action: 'block', byte_offset: 3, length: 23 },
      { pattern_id: 'pattern:INNER', action: 'mask', byte_offset: 3, length: 14 },
    ])
  })

  verifies('pii:detectors:united', 'by several detectors, all of it counts, and a block of any refuses', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.patterns('tickets', { TICKET: 'tick-[0-9]{4}' })
    await world.patterns('bans', { BAN: 'forbidden' }, { default_action: 'block' })
    await world.server.model('m', {}, filteredBy('ner', 'tickets', 'bans'))
    await say(world, 'm', `${MAIL} has tick-1234`)
    expect(world.asked('m')).toContain(`${MASKED} has [REDACTED:pattern:TICKET]`)
    expect((await say(world, 'm', `${MAIL} is forbidden`)).status).toBe(400)
    expect(world.asked('m')).not.toContain('forbidden')
  })
})

describe('a refusal', () => {
  it('is a bare status with --opaque-errors', async () => {
    await using world = await startPiiWorld({ flags: ['--opaque-errors'] })
    await world.ner('ner', { default_action: 'block' })
    await world.server.model('m', {}, filteredBy('ner'))
    await world.server.model('lost', {}, filteredBy('nobody'))
    const replies = [await say(world, 'm', MAIL), await say(world, 'lost', MAIL)]
    replies.push(await world.server.post('/api/pii/redact', { text: MAIL, detectors: ['ner'] }))
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [400, ''],
      [503, ''],
      [400, ''],
    ])
    expect(await world.events()).toHaveLength(3)
  })
})

describe('parts that a detector reads', () => {
  verifies(
    ['pii:document:joined', 'pii:document:mapped-back', 'events:pii:offsets'],
    'is the whole request as one document; each span returns to its message',
    async () => {
      await using world = await startPiiWorld()
      await world.ner('ner')
      await world.patterns('cards', { PIN: String.raw`card is\s+[0-9]{4}` })
      await world.server.model('m', {}, filteredBy('ner', 'cards'))
      await say(world, 'm', 'Größe? My card is', `4421, and I am ${MAIL}`)
      const [call] = world.server.records('ner').filter(({ rpc }) => rpc === 'TokenClassify')
      expect(call?.request).toMatchObject({ text: `Größe? My card is\n\n4421, and I am ${MAIL}` })
      const asked = world.asked('m')
      expect(asked).toContain('"Größe? My [REDACTED:pattern:PIN]"')
      expect(asked).toContain(`"[REDACTED:pattern:PIN], and I am ${MASKED}"`)
      expect((await world.events()).map((event) => [event.segment, event.byte_offset, event.length])).toEqual([
        ['messages[1].content', 15, 16],
        ['messages[1].content', 0, 4],
        ['messages[0].content', 12, 7],
      ])
    },
  )

  verifies('pii:document:untouched-bytes', 'leaves every other byte as it came, repeated keys too', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.far('far', filteredBy('ner'))
    const body = `{ "model":"far", "x":1.50,"x" : {"deep":[1e400]},\r\n"messages":[{"role":"user", "content":"\\u0061da@host.example","content":"I am <${MAIL}>\\u00e9" }], "user":"\\ud800 x"}`
    await world.server.call(CHAT, { method: 'POST', headers: JSON_TYPE, body })
    const expected = body
      .replace('"\\u0061da@host.example"', `"${MASKED}"`)
      .replace(`"I am <${MAIL}>\\u00e9"`, `"I am <${MASKED}>é"`)
      .replace('\\ud800', '\ufffd')
    expect(world.upstream.requests[0]?.text()).toBe(expected)
  })

  verifies('pii:document:twin-keys', 'cannot be told of a key that equals a known one but for case', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.far('far', filteredBy('ner'))
    await world.far('open', { pii: { enabled: false } })
    for (const twin of [
      `{"model":"M","Messages":[]}`,
      `{"model":"M","messages":[{"role":"user","content":"x","CONTENT":"${MAIL}"}]}`,
      `{"model":"M","messages":[{"role":"user","content":[{"type":"text","Text":"${MAIL}"}]}]}`,
    ]) {
      const send = (model: string) =>
        world.server.call(CHAT, { method: 'POST', headers: JSON_TYPE, body: twin.replace('M', model) })
      const refused = await send('far')
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('failed parsing request body')])
      expect(refused.text).not.toContain(MAIL)
      expect((await send('open')).status).toBe(200)
    }
    expect(world.upstream.requests.map(({ path }) => path)).toEqual(['/open', '/open', '/open'])
  })

  verifies('pii:history:not-scanned', 'does not include an earlier response or a referenced item', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.server.model('open')
    await world.server.model('m', {}, filteredBy('ner'))
    const first = await world.server.post('/v1/responses', { model: 'open', input: `I am ${MAIL}` })
    const { id, output } = first.json() as { id: string; output: { id: string }[] }
    const input = `And bob@host.example?`
    const next = await world.server.post('/v1/responses', { model: 'm', previous_response_id: id, input })
    expect(next.status).toBe(200)
    expect(world.asked('m')).toContain(`I am ${MAIL}`)
    expect(world.asked('m')).toContain(`And ${MASKED}?`)
    const referring = [
      { type: 'item_reference', id: output[0]?.id },
      { role: 'user', content: input },
    ]
    const last = await world.server.post('/v1/responses', { model: 'm', input: referring })
    expect([last.status, last.text]).toEqual([200, expect.any(String)])
  })
})

describe('a filtered response', () => {
  it('is stored in its filtered form: its input is masked in every place, and in the history of later responses', async () => {
    await using world = await startPiiWorld()
    await world.ner('ner')
    await world.server.model('m', { rules: [{ do: { text: 'Noted' } }] }, filteredBy('ner'))
    const body = { model: 'm', instructions: `Mail ${MAIL}`, input: [{ role: 'user', content: `I am ${MAIL}` }] }
    for (const extra of [{}, { stream: true }, { background: true }]) {
      const reply = await world.server.post('/v1/responses', { ...body, ...extra })
      expect([extra, reply.status]).toEqual([extra, 200])
      const id = /resp_[0-9A-Za-z_-]+/.exec(reply.text)?.[0] ?? ''
      const path = `/v1/responses/${id}`
      await eventually(async () => {
        expect((await world.server.call(path)).json()).toMatchObject({ status: 'completed' })
      })
      const next = await world.server.post('/v1/responses', { model: 'm', previous_response_id: id, input: 'And now?' })
      const shown = [reply, await world.server.call(path), await world.server.call(`${path}/input_items`), next]
      expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(shown.map(({ text }) => text).join()).not.toContain('@host')
      expect(shown[2]?.text).toContain(`I am ${MASKED}`)
    }
    expect(world.asked('m').split(`I am ${MASKED}`)).toHaveLength(7)
    expect(world.asked('m')).not.toContain('@host')
  })
})

describe('unscanned media', () => {
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const bytes = url.slice(url.indexOf(',') + 1)
  const user = (...content: object[]) => [{ role: 'user', content }]
  /** Bodies with media for each of the routes. */
  const cases: readonly (readonly [string, object])[] = [
    [CHAT, { messages: user({ type: 'image_url', image_url: { url } }) }],
    [CHAT, { messages: user({ type: 'input_audio', input_audio: { data: bytes, format: 'wav' } }) }],
    [CHAT, { messages: user({ type: 'video_url', video_url: { url } }) }],
    [CHAT, { messages: user({ type: 'file', file: { file_id: 'file-1' } }) }],
    ['/v1/responses', { input: user({ type: 'input_image', image_url: url }) }],
    ['/v1/responses', { input: user({ type: 'input_file', file_data: bytes }) }],
    [
      '/v1/messages',
      {
        max_tokens: 5,
        messages: user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } }),
      },
    ],
    ['/v1/messages', { max_tokens: 5, messages: user({ type: 'document', source: { type: 'url', url } }) }],
    ['/api/chat', { messages: [{ role: 'user', content: 'x', images: [bytes] }] }],
  ]

  verifies(
    ['pii:media:refused', 'pii:media:type', 'pii:media:audited', 'pii:media:routes'],
    'are refused where the policy says so, also without a detector, and leave one event',
    async () => {
      await using world = await startPiiWorld()
      await world.server.model('m', {}, { pii: { enabled: true, block_unscanned_media: true } })
      for (const [path, body] of cases) {
        const reply = await world.server.post(path, { model: 'm', ...body })
        expect([path, reply.status, reply.text]).toEqual([path, 400, expect.stringContaining('"pii_blocked"')])
      }
      expect(world.server.records('m')).toEqual([])
      const events = await world.events()
      expect(events).toHaveLength(cases.length)
      for (const event of events) {
        expect(event).toMatchObject({ pattern_id: '__unscanned_media__', action: 'block', byte_offset: 0, length: 0 })
        expect(event).not.toHaveProperty('hash_prefix')
      }
    },
  )

  verifies('pii:media:generate', 'are refused as images of a generation too', async () => {
    await using world = await startPiiWorld()
    await world.server.model('m', {}, { pii: { enabled: true, block_unscanned_media: true } })
    const reply = await world.server.post('/api/generate', { model: 'm', prompt: 'x', images: [bytes] })
    expect([reply.status, reply.json()]).toMatchObject([400, { error: expect.any(String), type: 'pii_blocked' }])
    expect(world.server.records('m')).toEqual([])
    expect((await world.server.post('/api/generate', { model: 'm', prompt: 'x', images: [] })).status).toBe(200)
  })

  it('pass when the filter is off or has no rule for them', async () => {
    await using world = await startPiiWorld()
    await world.far('off', { pii: { enabled: false, block_unscanned_media: true } })
    await world.far('unsaid', { pii: { enabled: true } })
    for (const model of ['off', 'unsaid']) {
      const body = { model, messages: user({ type: 'image_url', image_url: { url } }) }
      expect([model, (await world.server.post(CHAT, body)).status]).toEqual([model, 200])
    }
  })
})
