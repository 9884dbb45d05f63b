import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type ServerPair, startServerPair } from '../support/server-pair.ts'

const MAIL = 'ada@host.example'
const KEYS = { known_usecases: ['chat', 'completion', 'rerank', 'tokenize', 'score'] }
const POLICY = { enabled: true, detectors: ['mails'] }

let pair: ServerPair

beforeAll(async () => {
  pair = await startServerPair()
  const detector = { name: 'mails', backend: 'pattern', pii_detection: { builtins: ['email'] } }
  await pair.near.writeModelFile('mails.yaml', stringify(detector))
  for (const name of ['m', 'ranked']) await pair.far.model(name, {}, KEYS)
  await pair.forward('m', { pii: POLICY })
  await pair.forward('ranked', { pii: { ...POLICY, scan_rerank: true } })
  await pair.near.model('local', {}, { ...KEYS, pii: POLICY })
  await pair.near.model('local-ranked', {}, { ...KEYS, pii: { ...POLICY, scan_rerank: true } })
})
afterAll(() => pair[Symbol.asyncDispose]())

/** Gives the requests of a model since its load. */
function asked(where: 'near' | 'far', model: string): string {
  const calls = pair[where].records(model).filter(({ event, rpc }) => event === 'start' && rpc !== 'LoadModel')
  return JSON.stringify(calls.map(({ request }) => request ?? ''))
}

describe('a route whose text stays on this machine', () => {
  it.each([
    ['/v1/moderations', { input: [`by ${MAIL} 1`] }, 'by ', ' 1'],
    ['/v1/tokenize', { content: `by ${MAIL} 2` }, 'by ', ' 2'],
    ['/api/score', { prompt: `by ${MAIL} 3`, candidates: ['a'] }, 'by ', ' 3'],
  ])('%s is filtered where the model is served elsewhere, and only there', async (path, body, before, after) => {
    await pair.near.post(path, { model: 'm', ...body })
    expect(asked('far', 'm')).toContain(`${before}[REDACTED:pattern:EMAIL]${after}`)
    expect(asked('far', 'm')).not.toContain(MAIL)
    await pair.near.post(path, { model: 'local', ...body })
    expect(asked('near', 'local')).toContain(`${before}${MAIL}${after}`)
  })

  it('rerank is filtered where the file of the model asks for it', async () => {
    const body = { query: `who is ${MAIL}`, documents: [`${MAIL} is Ada`, 'nobody'] }
    for (const [where, model] of [
      ['far', 'ranked'],
      ['near', 'local-ranked'],
    ] as const) {
      const name = where === 'far' ? 'ranked' : model
      expect((await pair.near.post('/v1/rerank', { model: name, ...body })).status).toBe(200)
      expect(asked(where, model)).toContain('[REDACTED:pattern:EMAIL] is Ada')
      expect(asked(where, model)).not.toContain(MAIL)
    }
    expect((await pair.near.post('/v1/rerank', { model: 'm', ...body })).status).toBe(200)
    expect(asked('far', 'm')).toContain(`${MAIL} is Ada`)
  })
})

it('addresses in ids go nowhere, and equal ids stay equal', async () => {
  const call = { id: MAIL, type: 'function', function: { name: 'f', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: MAIL, content: 'done' },
  ]
  await pair.forward('ids', { pii: POLICY })
  await pair.far.model('ids', {}, { ...KEYS, template: { use_tokenizer_template: true } })
  expect((await pair.near.post('/v1/chat/completions', { model: 'ids', messages })).status).toBe(200)
  const seen = asked('far', 'ids')
  expect(seen).not.toContain(MAIL)
  expect(seen.split('[REDACTED:pattern:EMAIL]')).toHaveLength(3)
})
