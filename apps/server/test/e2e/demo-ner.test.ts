import { cp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { type DetectorEvaluation, evaluateDetectors, type FoundEntity } from '@svc/pii/evaluation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

const TEXTS = new URL('../../../../packages/demo-models/evaluation/ner/texts.jsonl', import.meta.url)
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it']
/** Floors of the committed weights, in every language and over all: the measured values less a margin. */
const FLOORS = { PER: 0.82, LOC: 0.71 } as const
const FLOORS_OVER_ALL = { PER: 0.85, LOC: 0.8 } as const

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  await server.model('chat', {}, { pii: { enabled: true, detectors: ['demo-ner'] } })
  const answer = { rules: [{ do: { text: 'Dear [REDACTED:PER_001], welcome!', split: 'characters' } as const }] }
  const pii = { enabled: true, detectors: ['demo-ner'], reversible_redactions: true }
  await server.model('restored', answer, { pii })
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (model: string, content: string, extra: object = {}): Promise<Response> =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], ...extra }),
  })

async function analyze(text: string, detectors: readonly string[]): Promise<readonly FoundEntity[]> {
  const body = JSON.stringify({ text, detectors, offset_encoding: 'utf16' })
  const reply = await fetch(`${server.url}/api/pii/analyze`, { method: 'POST', body })
  expect(reply.status).toBe(200)
  const { entities } = (await reply.json()) as {
    entities: { entity_type: string; start: number; end: number; score: number }[]
  }
  return entities.map(({ entity_type: group, start, end, score }) => ({ group, start, end, score }))
}

describe('the demo recogniser, with delivered files only', () => {
  it('masks names and places in a chat whose file names it as a detector', async () => {
    const reply = await ask('chat', 'My name is Philippa Cartwright and I live in Shrewsbury.')
    expect(reply.status).toBe(200)
    const sent = JSON.stringify(server.records('chat'))
    expect(sent).toContain('My name is [REDACTED:ner:PER] and I live in [REDACTED:ner:LOC].')
    expect(sent).not.toMatch(/Philippa|Cartwright|Shrewsbury/)
  })

  it('gives the names back in a streamed reply', async () => {
    const reply = await ask('restored', 'My name is Philippa Cartwright.', { stream: true })
    const texts = Array.from((await reply.text()).matchAll(/^data: (\{.*)$/gm), ([, json = '']) => JSON.parse(json))
    expect(texts.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'Dear Philippa Cartwright, welcome!',
    )
    expect(JSON.stringify(server.records('restored'))).not.toMatch(/Philippa|Cartwright/)
  })

  it('finds a name anywhere in a text of 20,000 characters', async () => {
    const filler = 'The invoice for the printer is ready and can be paid within thirty days. '.repeat(274)
    const sentence = 'My name is Philippa Cartwright. '
    for (const at of [0, 4000, 12_000, filler.length]) {
      const start = filler.lastIndexOf(' ', at) + 1
      const found = await analyze(filler.slice(0, start) + sentence + filler.slice(start), ['demo-ner'])
      const name = start + sentence.indexOf('Philippa')
      expect(found.some((entity) => entity.group === 'PER' && entity.start <= name && entity.end > name)).toBe(true)
    }
  })

  it('serves a detector file of its own, with its own policy', async () => {
    const { file = '' } = demoModels.find(({ name }) => name === 'demo-ner') ?? {}
    await cp(dirname(dirname(file)), join(server.folder, 'models/people'), { recursive: true })
    const detection = 'pii_detection: {min_score: 0.5, default_action: allow, entity_actions: {PER: block}}'
    await writeFile(
      join(server.folder, 'models/people.yaml'),
      `name: people\nbackend: onnx\nknown_usecases: [token_classify]\nparameters:\n  model: people\n${detection}\n`,
    )
    await server.model('strict', {}, { pii: { enabled: true, detectors: ['people'] } })
    const refused = await ask('strict', 'My name is Philippa Cartwright.')
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('pii_blocked')])
    expect(server.records('strict')).toEqual([])
    expect((await ask('strict', 'Thank you very much for the update!')).status).toBe(200)
  })
})

describe('on held-out texts', () => {
  const evaluations = new Map<string, DetectorEvaluation>()
  beforeAll(async () => {
    const { signal } = new AbortController()
    const lines = (await readFile(TEXTS, 'utf8')).trim().split('\n')
    const detectors = ['demo-ner']
    for (const language of LANGUAGES) {
      const own = lines.filter((line) => (JSON.parse(line) as { language: string }).language === language)
      const find = (text: string) => analyze(text, detectors)
      evaluations.set(language, await evaluateDetectors({ lines: own, find, signal }))
    }
    evaluations.set('all', await evaluateDetectors({ lines, find: (text) => analyze(text, detectors), signal }))
  })

  it.each([
    ...LANGUAGES.flatMap((language) =>
      Object.entries(FLOORS).map(([group, floor]) => [language, group, floor] as const),
    ),
    ...Object.entries(FLOORS_OVER_ALL).map(([group, floor]) => ['all', group, floor] as const),
  ])('%s: F2 of %s is at least %d', (language, wanted, floor) => {
    const figures = evaluations.get(language)?.groups.find(({ group }) => group === wanted)
    expect(figures?.labels).toBeGreaterThan(70)
    expect(figures?.f2).toBeGreaterThanOrEqual(floor)
  })
})
