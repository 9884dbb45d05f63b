// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { completeAt } from './complete.ts'
import { readFields, readSections } from './field-catalogue.ts'
import { readAmbiguity } from './import-api.ts'

const fields = readFields({
  fields: [
    { path: 'name', label: 'Name', component: 'input', description: 'The name.' },
    { path: 'backend', component: 'autocomplete', autocomplete_provider: 'backends' },
    { path: 'pii.enabled', component: 'toggle' },
    { path: 'pii.detectors', component: 'string-list' },
    { path: 'proxy.mode', component: 'select', options: [{ value: 'passthrough' }, { value: 'translate' }] },
    { label: 'no path' },
    'nonsense',
  ],
})
const parts = {
  fields,
  listNames: async (provider: string) => [`${provider}-1`],
  listModels: async () => ['people'],
}
const complete = async (text: string) =>
  (await completeAt(text, text.length, parts))?.options.map(({ label, apply }) => apply ?? label)

describe('completion', () => {
  it('offers keys below their map', async () => {
    expect(await complete('')).toEqual(['name: ', 'backend: ', 'pii:\n  ', 'proxy:\n  '])
    expect(await complete('pii:\n  ')).toEqual(['enabled: ', 'detectors: '])
  })

  it('offers options, switches and names', async () => {
    expect(await complete('proxy:\n  mode: ')).toEqual(['passthrough', 'translate'])
    expect(await complete('pii:\n  enabled: ')).toEqual(['true', 'false'])
    expect(await complete('backend: ')).toEqual(['backends-1'])
    expect(await complete('pii:\n  detectors:\n    - ')).toEqual(['people'])
    expect(await complete('unknown: ')).toBeUndefined()
  })
})

describe('the catalogue of keys', () => {
  it('passes over what it cannot read', () => {
    expect(fields.map(({ path }) => path)).toEqual(['name', 'backend', 'pii.enabled', 'pii.detectors', 'proxy.mode'])
    expect(readFields({ fields: [{ path: 'a', component: 'hologram' }] })[0]?.component).toBe('json-editor')
    expect(readSections({ sections: [{ id: 'pii' }, {}, 3] })).toEqual([{ id: 'pii', label: 'pii' }])
    expect(readFields('nothing')).toEqual([])
  })
})

describe('an ambiguous import', () => {
  it('names the backends to choose from', () => {
    const body = { error: 'ambiguous import', modality: 'text', candidates: ['vllm', 'transformers', 7] }
    expect(readAmbiguity(body)).toEqual({ kind: 'ambiguous', modality: 'text', candidates: ['vllm', 'transformers'] })
  })

  it('is no other refusal', () => {
    expect(readAmbiguity({ error: 'uri is required' })).toBeUndefined()
    expect(readAmbiguity(undefined)).toBeUndefined()
  })
})
