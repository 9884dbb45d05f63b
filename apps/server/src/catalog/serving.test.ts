import { describe, expect, it } from 'vitest'
import { createModel } from './__fixtures__/model.ts'
import type { Serving } from './model-config.ts'
import {
  leavesMachine,
  listFailoverTargets,
  listPipelineModels,
  notServed,
  servesRequests,
  toServing,
} from './serving.ts'

describe('who serves a model', () => {
  it.each<[string, Parameters<typeof createModel>[0], Serving['kind']]>([
    ['a backend by name', { backend: 'mock' }, 'backend'],
    ['weights alone', { backend: '', parameters: { model: 'x.gguf' } }, 'backend'],
    ['a provider, byte for byte', { backend: 'Cloud-Proxy', proxy: {} }, 'relay'],
    ['a provider, translated', { backend: 'cloud-proxy', proxy: { mode: 'translate' } }, 'translation'],
    ['another instance', { backend: 'service-proxy' }, 'instance'],
    ['other models', { backend: '', failover: { targets: [{ model: 'a' }] } }, 'failover'],
    ['nobody: patterns', { backend: 'PATTERN' }, 'detector'],
    ['a model for each request', { router: { candidates: [{ model: 'a' }] } }, 'router'],
    ['a model for each request, with a fallback alone', { backend: 'llama', router: { fallback: 'a' } }, 'router'],
    ['a backend: settings alone make no router', { backend: 'llama', router: { knn: { k: 5 } } }, 'backend'],
    ['models of a conversation', { backend: '', pipeline: { llm: 'a' } }, 'pipeline'],
    ['a backend: it may name helpers of a conversation', { backend: 'mock', pipeline: { vad: 'a' } }, 'backend'],
    ['none: a pipeline without models', { backend: '', pipeline: { llm: '' } }, 'none'],
    ['none: an empty file', { backend: '', parameters: { model: '  ' } }, 'none'],
  ])('is %s', (_, keys, kind) => {
    expect(toServing(createModel(keys)).kind).toBe(kind)
  })

  it('names the format of a provider', () => {
    const proxied = (provider?: string) => createModel({ backend: 'cloud-proxy', proxy: { provider } as never }).serving
    expect([proxied(), proxied('provider_b')]).toEqual([
      { kind: 'relay', provider: 'provider_a' },
      { kind: 'relay', provider: 'provider_b' },
    ])
  })

  it('gives the reason in the refusal of a model that is not served', () => {
    const empty = createModel({ name: 'e', backend: '' })
    expect(servesRequests(empty)).toBe(false)
    expect(notServed(empty)).toMatchObject({ kind: 'invalid_request', code: 'model_not_served' })
    expect(notServed(empty).message).toBe(
      'model "e" names neither a backend nor weights (parameters.model): nothing can serve it',
    )
    expect(notServed(createModel({ backend: 'pattern' })).message).toContain('finds private text')
    const talk = createModel({ backend: '', pipeline: { llm: 'a', tts: 'b', vad: 'a' } })
    expect(servesRequests(talk)).toBe(false)
    expect(notServed(talk).message).toContain('/v1/realtime')
    expect(listPipelineModels(talk.pipeline ?? {})).toEqual(['a', 'b'])
  })
})

it('a request leaves the machine where its model does, or one that may serve for it', () => {
  const here = createModel()
  const there = createModel({ backend: 'service-proxy' })
  const over = (...models: (typeof here)[]) =>
    createModel({ serving: { kind: 'failover', targets: models.map((model) => ({ name: model.name, model })) } })
  expect([here, there, over(here), over(here, there), over(over(there))].map(leavesMachine)).toEqual([
    false,
    true,
    false,
    true,
    true,
  ])
  expect(listFailoverTargets(over(here, there)).map(({ model }) => model)).toEqual([here, there])
  expect(listFailoverTargets(here)).toEqual([])
})
