import { describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { createClaimSource } from './claim-source.ts'
import { readClaims } from './claims.ts'

const claim = (name: string, hosts: string[], pii: ModelConfig['pii'] = {}, more: Partial<ModelConfig> = {}) =>
  createModel({ name, file: `${name}.yaml`, mitm: { hosts }, pii, ...more })

const on = (detectors: string[], more: ModelConfig['pii'] = {}): ModelConfig['pii'] => ({
  enabled: true,
  detectors,
  ...more,
})

describe('the policy of a listed host', () => {
  it('is that of its model, in any spelling of the host', () => {
    const claims = readClaims([claim('a', ['API.Example.'], on(['x']))], ['default'])
    expect(claims.findPolicy('api.example')).toMatchObject({ enabled: true, detectors: ['x'], isDefault: false })
    expect(claims.findPolicy('other.example')).toBeUndefined()
    expect(claims.claimants.map(({ hosts }) => hosts)).toEqual([['api.example']])
  })

  it('has the detectors of the instance where its model names none', () => {
    expect(readClaims([claim('a', ['h.example'], on([]))], ['default']).findPolicy('h.example')).toMatchObject({
      detectors: ['default'],
      isDefault: true,
    })
  })

  it('unites those of several models; values come back only where all restore them', () => {
    const reversible = { reversibleRedactions: true }
    const models = [
      claim('a', ['h.example'], on(['x'], reversible)),
      claim('b', ['h.example'], on(['y'], { blockUnscannedMedia: true })),
      claim('off', ['h.example'], { enabled: false, detectors: ['z'] }),
      claim('disabled', ['h.example', 'own.example'], on(['w'], reversible), { disabled: true }),
    ]
    const claims = readClaims(models, [])
    const policy = claims.findPolicy('h.example')
    expect(policy).toMatchObject({ enabled: true, detectors: ['x', 'y', 'w'], blocksMedia: true })
    expect(policy?.reversible).toBeUndefined()
    expect(claims.findPolicy('own.example')?.reversible).toEqual({ prefix: '[REDACTED:', suffix: ']' })
    expect(claims.allowlist.conflicts).toEqual([{ host: 'h.example', owners: ['a', 'b', 'off', 'disabled'] }])
  })

  it('is off where every model has its filter off', () => {
    const models = [claim('a', ['h.example'], { enabled: false }), claim('b', ['h.example'], { detectors: ['x'] })]
    expect(readClaims(models, ['default']).findPolicy('h.example')).toMatchObject({ enabled: false })
  })

  it('ignores aliases and entries that are no hosts', () => {
    const models = [claim('alias', ['a.example'], {}, { alias: 'b' }), claim('b', ['no host', 'b.example'])]
    const { allowlist } = readClaims(models, [])
    expect([allowlist.hosts, allowlist.invalid]).toEqual([
      ['b.example'],
      [{ owner: 'b', entry: 'no host', reason: expect.any(String) }],
    ])
  })

  it('is that of the instance for the default hosts, while no model lists any', () => {
    const claims = readClaims([createModel()], ['default', 'default'])
    for (const host of ['api.openai.com', 'api.anthropic.com']) {
      expect(claims.findPolicy(host)).toEqual({
        enabled: true,
        detectors: ['default'],
        isDefault: true,
        blocksMedia: false,
      })
    }
    expect(readClaims([claim('a', ['a.example'])], ['default']).findPolicy('api.openai.com')).toBeUndefined()
  })
})

describe('the source of claims', () => {
  function open(first: readonly ModelConfig[]) {
    const state = { models: first, broken: [] as string[], defaults: ['default'] as readonly string[] }
    const source = createClaimSource({
      look: () => state.models,
      models: () => state.models,
      brokenFiles: () => state.broken,
      defaults: () => state.defaults,
    })
    return { state, hosts: () => source.current().allowlist.hosts, source }
  }

  it('gives the same claims until files or settings change', () => {
    const { state, source } = open([claim('a', ['a.example'])])
    const first = source.current()
    expect(source.current()).toBe(first)
    state.defaults = ['other']
    expect(source.current()).not.toBe(first)
  })

  it('keeps those of a file that cannot be read, until it is mended, renamed or deleted', () => {
    const kept = claim('a', ['a.example'], on(['x']))
    const { state, hosts, source } = open([kept, claim('b', ['b.example'])])
    hosts()
    Object.assign(state, { models: [claim('b', ['b.example'])], broken: ['a.yaml'] })
    expect(hosts()).toEqual(['b.example', 'a.example'])
    expect(source.current().findPolicy('a.example')).toMatchObject({ detectors: ['x'] })
    Object.assign(state, { models: [claim('a', ['new.example'])], broken: ['a.yaml'] })
    expect(hosts()).toEqual(['new.example'])
    Object.assign(state, { models: [], broken: ['a.yaml'] })
    expect(hosts()).toEqual(['new.example'])
    Object.assign(state, { models: [], broken: [], defaults: [] })
    expect(hosts()).toEqual(['api.openai.com', 'api.anthropic.com'])
  })
})
