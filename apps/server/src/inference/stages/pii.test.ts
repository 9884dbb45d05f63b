import { parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ResolvedRequest } from '../core/pipeline.ts'
import type { ScannedWhen } from '../core/ports.ts'
import { createPiiStage } from './pii.ts'

const SPLICED = { splices: [{ start: 0, end: 0, replacement: '' }] }
const stage = createPiiStage({ watches: () => true, filter: () => SPLICED } as never)

function ask(model: ModelConfig, scannedWhen: ScannedWhen | undefined) {
  const document = parseJson(Buffer.from('{}'))
  const request = {
    context: { route: { scanned: 'media', scannedWhen }, requestId: 'r', principal: { id: 'p' } },
    model,
    document: { texts: () => document, files: [] },
    format: {},
    source: {},
  }
  return stage(request as unknown as ResolvedRequest)
}

// verifies pii:route:media-prompts
it.each<[string, ModelConfig['pii'], ScannedWhen | undefined, boolean]>([
  ['a route that is scanned always', {}, undefined, true],
  ['a media route of a model that says nothing', {}, 'scan_media_prompts', false],
  ['a media route of a model that asks for it', { scanMediaPrompts: true }, 'scan_media_prompts', true],
  ['a media route of a model that refuses it', { scanMediaPrompts: false }, 'scan_media_prompts', false],
  ['a media route of a model that asks for rankings', { scanRerank: true }, 'scan_media_prompts', false],
  ['a ranking of a model that asks for media', { scanMediaPrompts: true }, 'scan_rerank', false],
])('%s', (_name, pii, when, isScanned) => {
  const result = ask(createModel({ name: 'm', pii: { enabled: true, ...pii } }), when)
  expect(result).toEqual(isScanned ? SPLICED : { splices: [] })
})

it('a failover target that asks for it has the request scanned', () => {
  const target = createModel({ name: 't', pii: { scanMediaPrompts: true } })
  const model = createModel({ name: 'm', serving: { kind: 'failover', targets: [{ name: 't', model: target }] } })
  expect(ask(model, 'scan_media_prompts')).toEqual(SPLICED)
})

it('the policy of another model may hold for a request', () => {
  const watched: string[] = []
  const filtered: string[] = []
  const filter = {
    watches: ({ name }: ModelConfig) => watched.push(name) > 0,
    filter: (request: { readonly model: ModelConfig }) => {
      filtered.push(request.model.name)
      return SPLICED
    },
  }
  const document = parseJson(Buffer.from('{}'))
  const request = {
    context: { route: { scanned: 'chat-completions' }, requestId: 'r', principal: { id: 'p' } },
    model: createModel({ name: 'm', serving: { kind: 'agent', agent: 'a' } }),
    filteredAs: createModel({ name: 'talk' }),
    document: { texts: () => document, files: [] },
    format: {},
    source: {},
  }
  expect(createPiiStage(filter as never)(request as unknown as ResolvedRequest)).toEqual(SPLICED)
  expect([watched, filtered]).toEqual([['talk'], ['talk']])
})
