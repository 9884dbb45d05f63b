import type { BodyFilter } from '@svc/mitm'
import { describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { ConsumerPolicy } from '../pii/consumer-policy.ts'
import type { Logger } from '../ports.ts'
import { createClaimSource } from './claim-source.ts'
import { createHostPolicy } from './host-policy.ts'

const claim = (name: string, hosts: string[], pii: ModelConfig['pii'] = {}) =>
  createModel({ name, file: `${name}.yaml`, mitm: { hosts }, pii })

function open(models: readonly ModelConfig[], defaults: readonly string[] = []) {
  const state = { models }
  const asked: ConsumerPolicy[] = []
  const lines: [text: string, fields: object][] = []
  const logger: Logger = { debug() {}, info() {}, warn: (fields, text) => void lines.push([text, fields]), error() {} }
  const policy = createHostPolicy({
    claims: createClaimSource({
      look: () => state.models,
      models: () => state.models,
      brokenFiles: () => [],
      defaults: () => defaults,
    }),
    toFilter(rules) {
      asked.push(rules)
      const filter: BodyFilter = { filter: ({ body }) => Promise.resolve({ blocked: false, body }) }
      return filter
    },
    logger,
  })
  return { state, policy, asked, lines }
}

describe('the policy of the proxy', () => {
  it('gives one filter to a host until its models change', () => {
    const { state, policy, asked } = open([claim('a', ['a.example'], { enabled: true, detectors: ['x'] })])
    const first = policy.find('a.example')
    expect(first?.filter).toBeDefined()
    expect(policy.find('a.example')).toBe(first)
    state.models = [claim('a', ['a.example'], { enabled: true, detectors: ['y'] })]
    expect(policy.find('a.example')).not.toBe(first)
    expect(asked.map(({ detectors }) => detectors)).toEqual([['x'], ['y']])
    state.models = [claim('a', ['b.example'])]
    expect(policy.find('a.example')).toBeUndefined()
  })

  it('knows the hosts of a pattern, however many clients name', () => {
    const { policy, asked } = open([claim('a', ['*.a.example'], { enabled: true, detectors: ['x'] })])
    const first = policy.find('h0.a.example')
    expect(policy.find('h0.a.example')).toBe(first)
    for (let index = 0; index <= 1000; index += 1) expect(policy.find(`h${index}.a.example`)?.filter).toBeDefined()
    expect(asked).toHaveLength(1001)
    expect(policy.find('h0.a.example')).not.toBe(first)
    expect(policy.find('a.example')).toBeUndefined()
  })

  it('gives no filter where nothing would be filtered', () => {
    const { policy, asked } = open([
      claim('off', ['off.example'], { enabled: false, detectors: ['x'] }),
      claim('empty', ['empty.example'], { enabled: true }),
    ])
    expect([policy.find('off.example')?.filter, policy.find('empty.example')?.filter]).toEqual([undefined, undefined])
    expect(policy.find('off.example')).toBeDefined()
    expect(asked).toEqual([])
  })

  it('reports conflicts, entries that are no hosts, and hosts without detectors, each once', () => {
    const { state, policy, lines } = open([
      claim('a', ['h.example', 'no host'], { enabled: true }),
      claim('b', ['h.example'], { enabled: true }),
    ])
    policy.find('h.example')
    policy.find('h.example')
    const conflict = 'several models list an intercepted host; the detectors of all of them apply'
    expect(lines).toEqual([
      ['an entry of mitm.hosts can match no host', { model: 'a', entry: 'no host', reason: expect.any(String) }],
      [conflict, { host: 'h.example', models: ['a', 'b'] }],
      ['an intercepted host has no detectors; its requests are not filtered', { host: 'h.example' }],
    ])
    state.models = [...state.models]
    policy.find('h.example')
    expect(lines).toHaveLength(3)
    state.models = [claim('a', ['h.example'], { enabled: true, detectors: ['x'] })]
    policy.find('h.example')
    state.models = [...state.models, claim('b', ['h.example'])]
    policy.find('h.example')
    expect(lines.slice(3).map(([text]) => text)).toEqual([conflict])
  })

  it('reports default hosts that nothing filters', () => {
    const { policy, lines } = open([])
    expect(policy.find('api.openai.com')).toMatchObject({ filter: undefined })
    expect(lines.map(([, fields]) => fields)).toEqual([{ host: 'api.openai.com' }, { host: 'api.anthropic.com' }])
  })
})
