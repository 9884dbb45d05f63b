// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { completeAt } from './complete.ts'
import { toFields } from './field-catalogue.ts'

const plain = { yaml_key: '', go_type: '', ui_type: '', section: '', label: '', component: 'input', order: 0 }
const fields = toFields([
  { ...plain, path: 'name', label: 'Name', description: 'The name.' },
  { ...plain, path: 'backend', component: 'autocomplete', autocomplete_provider: 'backends' },
  { ...plain, path: 'pii.enabled', component: 'toggle' },
  { ...plain, path: 'pii.detectors', component: 'string-list' },
  {
    ...plain,
    path: 'proxy.mode',
    component: 'select',
    options: ['passthrough', 'translate'].map((value) => ({ value, label: value })),
  },
])
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
  it('edits a key of an unknown kind as JSON, and names a key without a label by its path', () => {
    expect(toFields([{ ...plain, path: 'a', component: 'hologram' }])).toMatchObject([
      { label: 'a', component: 'json-editor', provider: undefined, options: [] },
    ])
    expect(toFields([])).toEqual([])
  })
})
