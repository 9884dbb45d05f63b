import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeTinyNer } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_THREADS: '1' } })
  const models = join(server.folder, 'models')
  await writeTinyNer(join(models, 'people'), { maxTokens: 24 })
  const detection = 'pii_detection: {min_score: 0.5, entity_actions: {LOC: block}, extend_to_next_word: [PER]}'
  await writeFile(
    join(models, 'people.yaml'),
    `name: people\nbackend: onnx\nknown_usecases: [token_classify]\nparameters:\n  model: people\n${detection}\n`,
  )
  const pii = { enabled: true, detectors: ['people'] }
  await server.model('m', {}, { pii })
  const patterns = 'pii_detection: {patterns: [{name: TICKET, match: "tick-[0-9]{4}"}]}'
  await writeFile(join(models, 'tickets.yaml'), `name: tickets\nbackend: pattern\n${patterns}\n`)
  await server.model('large', {}, { pii: { enabled: true, detectors: ['tickets'] } })
  await server.model(
    'restored',
    { rules: [{ do: { text: 'Hello [REDACTED:PER_001]!', split: 'characters' } }] },
    {
      pii: { ...pii, reversible_redactions: true },
    },
  )
})
afterAll(() => server[Symbol.asyncDispose]())

function chat(model: string, contents: readonly string[], extra: object = {}): Promise<Response> {
  const messages = contents.map((content) => ({ role: 'user', content }))
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model, messages, ...extra }),
  })
}

function sent(model: string): string {
  return JSON.stringify(server.records(model))
}

describe('a request of many megabytes', () => {
  it('is searched on a thread that the bundle finds', async () => {
    const filler = 'hello world 👩‍👩‍👧 '.repeat(100_000)
    const reply = await chat('large', [`${filler}tick-1234`])
    expect(reply.status).toBe(200)
    expect(sent('large')).toContain('👧 [REDACTED:pattern:TICKET]')
    expect(server.output()).not.toContain('a large document could not be scanned')
  })
})

describe('requests filtered by a model that recognises entities', () => {
  it('are masked in each message, in texts longer than the model reads at once, between any characters', async () => {
    const filler = 'hello world 👩‍👩‍👧 '.repeat(200)
    const reply = await chat('m', ['my name is José Müller Esq, ok', `${filler}mail alice@example.com and 李明`])
    expect(reply.status).toBe(200)
    expect(sent('m')).toContain('my name is [REDACTED:ner:PER], ok')
    expect(sent('m')).toContain('👧 mail [REDACTED:ner:EMAIL] and [REDACTED:ner:PER]')
    expect(sent('m')).not.toMatch(/Müller|alice|李明/)
  })

  it('are refused where a place is blocked', async () => {
    const before = server.records('m').length
    const reply = await chat('m', ['hello', 'John lives in Zürich'])
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('pii_blocked')])
    expect(server.records('m')).toHaveLength(before)
  })

  it('come back with the names in the reply', async () => {
    const reply = await chat('restored', ['my name is Anna Smith now'], { stream: true })
    const texts = Array.from((await reply.text()).matchAll(/^data: (\{.*)$/gm), ([, json = '']) => JSON.parse(json))
    expect(texts.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello Anna Smith now!')
    expect(sent('restored')).toContain('my name is [REDACTED:PER_001]')
    expect(server.output()).not.toMatch(/Anna|Smith/)
  })
})
