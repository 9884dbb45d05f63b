import { createHmac } from 'node:crypto'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { stringify } from 'yaml'
import { startPiiWorld } from '../support/pii-world.ts'
import type { TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const KEY = 'the key of hashes in these tests'
const CARD = '4111 1111 1111 1111'
const MAIL = 'jane@lab.example'

const OPERATORS = {
  EMAIL: { hash_key_env: 'PII_HASH_KEY' },
  CREDITCARD: { keep_last: 4 },
  TICKET: { replace: 'a ticket' },
}
const isRefusal = (status: number): boolean => status >= 400 && status < 500
const FAKES = { NAME: { fake: 'person' }, EMAIL: { fake: 'email' } }
const DETECTION = { builtins: ['email', 'credit_card', 'iban'], operators: OPERATORS }

async function expectFault(server: TestServer, fault: RegExp): Promise<void> {
  const reload = await server.post('/models/reload', {})
  expect(reload.text + server.logLines.join('\n')).toMatch(fault)
}

describe('operators', () => {
  verifies('detector:operators:replacement', 'write something else than the fixed text', async () => {
    await using world = await startPiiWorld({ env: { PII_HASH_KEY: KEY } })
    await world.patterns('own', { TICKET: 'tick-[0-9]{4}' }, DETECTION)
    const text = `${MAIL} paid tick-1234 with ${CARD} from DE89370400440532013000`
    const reply = await world.server.post('/api/pii/redact', { text, detectors: ['own'] })
    const hash = createHmac('sha256', KEY).update(MAIL).digest('hex').slice(0, 16)
    expect(reply.json()).toMatchObject({
      redacted_text: `[EMAIL:${hash}] paid a ticket with ****1111 from [REDACTED:pattern:IBAN]`,
    })
    await world.far('m', { pii: { enabled: true, detectors: ['own'] } })
    await world.server.chat('m', { messages: [{ role: 'user', content: text }] })
    const [asked] = world.upstream.requests
    expect(asked?.body.toString()).toContain('paid a ticket with ****1111 from')
    expect(asked?.body.toString()).not.toMatch(/jane|4111|tick-/)
  })

  verifies('detector:operators:reversible', 'give way to tokens', async () => {
    await using world = await startPiiWorld({ env: { PII_HASH_KEY: KEY } })
    await world.patterns('own', { TICKET: 'tick-[0-9]{4}' }, DETECTION)
    await world.far('m', { pii: { enabled: true, detectors: ['own'], reversible_redactions: true } })
    await world.server.chat('m', { messages: [{ role: 'user', content: `${CARD} for tick-1234` }] })
    expect(world.upstream.requests[0]?.body.toString()).toContain('[REDACTED:CREDITCARD_001] for [REDACTED:TICKET_001]')
  })

  verifies('detector:lists', 'of denied terms and allowed values', async () => {
    await using world = await startPiiWorld()
    const { server } = world
    await server.writeModelFile(
      'bad.yaml',
      'name: bad\nbackend: pattern\npii_detection:\n  deny_list: { PROJECT: [ab] }\n  allow_list: [""]',
    )
    await expectFault(server, /deny_list.*a term needs 3 characters or more/)
    await expectFault(server, /allow_list.*holds an empty value/)
    const detection = { deny_list: { PROJECT: ['Blue Heron'] }, allow_list: [MAIL], builtins: ['email'] }
    await world.patterns('own', {}, detection)
    await world.ner('people', { deny_list: { PROJECT: ['Blue Heron'] }, allow_list: ['Paris'] })
    const text = `${MAIL} and bo@lab.example meet at blue heron in Paris`
    const redact = async (name: string) => (await server.post('/api/pii/redact', { text, detectors: [name] })).json()
    expect(await redact('own')).toMatchObject({
      redacted_text: `${MAIL} and [REDACTED:pattern:EMAIL] meet at [REDACTED:pattern:PROJECT] in Paris`,
    })
    expect(await redact('people')).toMatchObject({
      redacted_text: expect.stringMatching(/meet at \[REDACTED:pattern:PROJECT\] in Paris/),
    })
  })

  verifies('detector:lists:files', 'are in files of the models folder, and act when these change', async () => {
    await using world = await startPiiWorld()
    const { server } = world
    const write = (file: string, text: string) => writeFile(join(server.modelsPath, file), text)
    const redact = () => server.post('/api/pii/redact', { text: `${MAIL} is at blue heron`, detectors: ['own'] })
    const redacted = async () => ((await redact()).json() as { redacted_text: string }).redacted_text
    await write('projects.txt', '# projects\nBlue Heron\n')
    await write('public.txt', MAIL)
    await world.patterns(
      'own',
      {},
      { deny_list_files: { PROJECT: ['projects.txt'] }, allow_list_files: ['public.txt'] },
    )
    expect(await redacted()).toBe(`${MAIL} is at [REDACTED:pattern:PROJECT]`)
    await write('projects.txt', 'Kranich\nis at\n')
    expect(await redacted()).toBe(`${MAIL} [REDACTED:pattern:PROJECT] blue heron`)
    await write('projects.txt', 'Kranich\n\nab\n')
    const refused = await redact()
    expect([refused.status, refused.text.includes(MAIL)]).toEqual([503, false])
    expect(server.logLines.join('\n')).toContain('projects.txt:3: a term needs 3 characters or more')
    await rm(join(server.modelsPath, 'projects.txt'))
    expect((await redact()).status).toBe(503)
    expect(server.logLines.join('\n')).toMatch(/deny_list_files.*projects\.txt is missing/)
    await symlink(join(server.folder, 'data', '.hmac_secret'), join(server.modelsPath, 'projects.txt'))
    expect((await redact()).status).toBe(503)
    await rm(join(server.modelsPath, 'projects.txt'))
    await write('projects.txt', 'Blue Heron')
    expect(await redacted()).toBe(`${MAIL} is at [REDACTED:pattern:PROJECT]`)
  })

  verifies(
    'detector:operators:unknown-group',
    'of groups that are never found are refused by every route',
    async () => {
      await using world = await startPiiWorld()
      const { server } = world
      await world.patterns('own', {}, { builtins: ['email'] })
      for (const [key, value] of [
        ['operators', { EMIAL: { keep_last: 4 } }],
        ['entity_min_scores', { EMIAL: 0.5 }],
      ] as const) {
        const model = { name: 'own', backend: 'pattern', pii_detection: { builtins: ['email'], [key]: value } }
        const text = stringify(model)
        const yaml = { 'content-type': 'application/yaml' }
        const json = { 'content-type': 'application/json' }
        const patch = JSON.stringify({ pii_detection: { [key]: value } })
        for (const reply of [
          await server.call('/api/models/config-json/own', { method: 'PATCH', headers: json, body: patch }),
          await server.call('/models/edit/own', { method: 'POST', headers: yaml, body: text }),
          await server.call('/models/import', { method: 'POST', headers: yaml, body: text.replace('own', 'new') }),
        ]) {
          expect([reply.status, reply.text]).toEqual([
            expect.toSatisfy(isRefusal),
            expect.stringContaining(`${key}.EMIAL`),
          ])
        }
        expect((await server.post('/api/pii/redact', { text: MAIL, detectors: ['own'] })).status).toBe(200)
      }
    },
  )

  verifies('detector:entity-min-scores', 'stand beside the lowest score of a group', async () => {
    await using world = await startPiiWorld()
    const { server } = world
    const text = 'credit card: 4111 1111 1111 1112 of jane@Paris'
    await world.patterns('all', {}, { builtins: ['credit_card'] })
    await world.patterns('sure', {}, { builtins: ['credit_card'], entity_min_scores: { CREDITCARD: 0.7 } })
    await server.writeModelFile(
      'bad.yaml',
      'name: bad\nbackend: pattern\npii_detection:\n  builtins: [email]\n  entity_min_scores: { EMAIL: 2 }',
    )
    const redact = async (name: string) => (await server.post('/api/pii/redact', { text, detectors: [name] })).json()
    expect(await redact('all')).toMatchObject({
      redacted_text: 'credit card: [REDACTED:pattern:CREDITCARD] of jane@Paris',
    })
    expect(await redact('sure')).toMatchObject({ redacted_text: text })
    await expectFault(server, /entity_min_scores.*must be between 0 and 1/)
  })

  verifies('detector:operators:fake', 'invent values', async () => {
    await using world = await startPiiWorld()
    await world.patterns('own', { NAME: 'Ada [A-Z][a-z]+' }, { builtins: ['email'], operators: FAKES })
    await world.far('m', { pii: { enabled: true, detectors: ['own'], reversible_redactions: true } })
    await world.far('plain', { pii: { enabled: true, detectors: ['own'] } })
    const messages = [{ role: 'user', content: `Ada Byron has ${MAIL}; ask Ada Byron` }]
    const sent = async (model: string) => {
      const reply = await world.server.chat(model, { messages })
      const body: string = world.upstream.requests.at(-1)?.body.toString() ?? ''
      expect(body).not.toMatch(/Byron|lab\.example|REDACTED/)
      return { reply, text: /"content":"([^"]+)"/.exec(body)?.[1] ?? '' }
    }
    const { text } = await sent('m')
    const [, name, mail, again] = /^(\w+ \w+) has (\S+@mail\.example); ask (\w+ \w+)$/.exec(text) ?? []
    expect([again, name === undefined]).toEqual([name, false])
    expect((await sent('plain')).text).toBe(text)
    world.upstream.enqueue({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: `${name} reads ${mail}` } }],
      }),
    })
    expect((await sent('m')).reply.text).toContain(`Ada Byron reads ${MAIL}`)
  })

  verifies('pii:conversation-tokens', 'keep their tokens over a conversation', async () => {
    await using world = await startPiiWorld()
    await world.patterns('own', {}, { builtins: ['email'] })
    const kept = { conversation_tokens: true, conversation_tokens_hours: 1 }
    await world.far('m', { pii: { enabled: true, detectors: ['own'], reversible_redactions: true, ...kept } })
    const ask = async (conversation: string, content: string, answer = 'Fine.') => {
      world.upstream.enqueue({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: answer } }] }),
      })
      const body = { messages: [{ role: 'user', content }], metadata: { conversation_id: conversation } }
      const reply = await world.server.chat('m', body)
      return { reply: reply.text, sent: world.upstream.requests.at(-1)?.body.toString() ?? '' }
    }
    expect((await ask('one', `to ${MAIL}`)).sent).toContain('to [REDACTED:EMAIL_001]')
    // A later request has neither the value nor its token; the model remembers the token.
    const later = await ask('one', 'to bo@lab.example', '[REDACTED:EMAIL_001] and [REDACTED:EMAIL_002]')
    expect(later.sent).toContain('to [REDACTED:EMAIL_002]')
    expect(later.reply).toContain(`${MAIL} and bo@lab.example`)
    const plain = await ask('one', 'who was it?', 'It was [REDACTED:EMAIL_001].')
    expect(plain.reply).toContain(`It was ${MAIL}.`)
    const other = await ask('two', 'who was it?', 'It was [REDACTED:EMAIL_001].')
    expect(other.reply).toContain('It was [REDACTED:EMAIL_001].')
  })

  verifies('detector:operators:checked-at-load', 'that cannot be used refuse their file', async () => {
    await using world = await startPiiWorld()
    const { server } = world
    const lines = ['name: bad', 'backend: pattern', 'pii_detection:', '  builtins: [email]', '  operators:']
    for (const [operator, reason, group = 'EMAIL'] of [
      ['{ keep_last: 0 }', /keep_last must be a whole number from 1 to 64/],
      ['{ keep_last: 4, replace: x }', /needs exactly one of/],
      ['{}', /needs exactly one of/],
      ['{ keep_last: 4 }', /operators\.EMIAL: this detector reports no group of that name; it reports EMAIL/, 'EMIAL'],
    ] as const) {
      await server.writeModelFile('bad.yaml', [...lines, `    ${group}: ${operator}`].join('\n'))
      const reload = await server.post('/models/reload', {})
      const said = reload.text + server.logLines.join('\n')
      expect(said).toMatch(reason)
      expect(said).toMatch(/bad\.yaml:6/)
      const refused = await server.post('/api/pii/redact', { text: MAIL, detectors: ['bad'] })
      expect(refused.status).toBe(400)
    }
    // A key that is missing when the detector is needed fails closed.
    await world.patterns('own', { TICKET: 'tick-[0-9]{4}' }, DETECTION)
    const closed = await server.post('/api/pii/redact', { text: MAIL, detectors: ['own'] })
    expect([closed.status, closed.text.includes(MAIL)]).toEqual([503, false])
  })
})
