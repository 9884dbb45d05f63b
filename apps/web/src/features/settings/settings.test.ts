import { describe, expect, it } from 'vitest'
import type { Origin } from './api.ts'
import { findKind, putDraft, readDraft, toPatch, toText } from './drafts.ts'
import { searchSections, splitSections } from './sections.ts'

function makeOrigin(key: string, heading: string, more: Partial<Origin> = {}): Origin {
  return {
    ...{
      key,
      heading,
      about: '',
      source: 'default',
      locked_by: null,
      secret: false,
      saved_value_unused: false,
      flag: null,
      variables: [],
    },
    ...more,
  }
}

const origins = [
  makeOrigin('cors', 'Server', { about: 'pages of every origin may use the API', variables: ['SVC_CORS'] }),
  makeOrigin('instance_name', 'Server'),
  makeOrigin('logo_file', 'Server', { locked_by: 'branding' }),
  makeOrigin('vram_budget', 'Memory and eviction', { flag: '--vram-budget' }),
]

describe('sections of settings', () => {
  it('put name and tagline apart and leave the files of pictures out', () => {
    const sections = splitSections(origins).map(({ id, settings }) => [id, settings.map(({ key }) => key)])
    expect(sections).toEqual([
      ['branding', ['instance_name']],
      ['server', ['cors']],
      ['memory-and-eviction', ['vram_budget']],
    ])
  })
  it.each([
    ['svc_cors', ['cors']],
    ['origin API', ['cors']],
    ['vram budget', ['vram_budget']],
    ['--vram', ['vram_budget']],
    ['nothing', []],
  ])('are searched for %j', (text, keys) => {
    const found = searchSections(splitSections(origins), text).flatMap(({ settings }) => settings)
    expect(found.map(({ key }) => key)).toEqual(keys)
  })
})

describe('a setting', () => {
  it.each([
    ['cors', true, 'switch'],
    ['threads', 2, 'number'],
    ['vram_budget', '', 'text'],
    ['pii_default_detectors', [], 'lines'],
    ['galleries', [], 'json'],
    ['other', [{ name: 'a' }], 'json'],
  ])('%s with %j is edited as %s', (key, value, kind) => {
    expect(findKind({ key, secret: false }, value)).toBe(kind)
  })
  it('that is secret is replaced only', () => {
    expect(findKind({ key: 'p2p_token', secret: true }, '')).toBe('secret')
    expect(findKind({ key: 'api_keys', secret: true }, [])).toBe('secrets')
  })
  it.each([
    ['number', 0.95],
    ['lines', ['a', 'b']],
    ['json', [{ name: 'a', url: 'https://site.example' }]],
    ['text', '15m'],
  ] as const)('of the kind %s comes back from its text', (kind, value) => {
    expect(readDraft(kind, toText(kind, value)).value).toEqual(value)
  })
  it('has a fault for a text that is not a value', () => {
    expect(readDraft('number', '')).toMatchObject({ fault: 'number' })
    expect(readDraft('json', '[')).toMatchObject({ fault: 'json' })
  })
})

describe('drafts', () => {
  it('vanish when they say what the server has', () => {
    const drafts = putDraft({}, 'threads', { value: 4 }, 2)
    expect(toPatch(drafts)).toEqual({ threads: 4 })
    expect(putDraft(drafts, 'threads', { value: 2 }, 2)).toEqual({})
  })
  it('keep a faulty text', () => {
    expect(putDraft({}, 'threads', readDraft('number', 'x'), 2)).toHaveProperty('threads.fault', 'number')
  })
  it('take a saved value away with null', () => {
    expect(toPatch(putDraft({}, 'threads', { value: null }, 2))).toEqual({ threads: null })
  })
})
