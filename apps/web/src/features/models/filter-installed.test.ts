import { describe, expect, it } from 'vitest'
import type { InstalledModel } from '../../lib/server-state.ts'
import { continuesText, filterInstalled } from './filter-installed.ts'

const makeModel = (id: string, fields: Partial<InstalledModel> = {}): InstalledModel => ({
  id,
  backend: 'llama',
  capabilities: ['FLAG_CHAT'],
  disabled: false,
  pinned: false,
  ...fields,
})
const models = [
  makeModel('cedar', { pinned: true }),
  makeModel('lumen', { capabilities: ['FLAG_EMBEDDINGS'], disabled: true }),
  makeModel('harbor', { backend: 'onnx' }),
]
const loaded = new Set(['harbor'])
const failures = new Set(['lumen'])
const names = (filter: Partial<Parameters<typeof filterInstalled>[1]>) =>
  filterInstalled(models, { q: undefined, state: undefined, loaded, failures, ...filter }).map(({ id }) => id)

describe('installed models', () => {
  it('are all shown without a filter', () => {
    expect(names({})).toEqual(['cedar', 'lumen', 'harbor'])
  })

  it('are found by name, backend and use, every word', () => {
    expect(names({ q: 'CEDAR' })).toEqual(['cedar'])
    expect(names({ q: 'onnx chat' })).toEqual(['harbor'])
    expect(names({ q: 'embeddings' })).toEqual(['lumen'])
    expect(names({ q: 'cedar onnx' })).toEqual([])
  })

  it('are found by their state', () => {
    expect(names({ state: 'loaded' })).toEqual(['harbor'])
    expect(names({ state: 'failed' })).toEqual(['lumen'])
    expect(names({ state: 'pinned' })).toEqual(['cedar'])
    expect(names({ state: 'disabled' })).toEqual(['lumen'])
  })
})

describe('a model that continues text', () => {
  it.each([
    [['FLAG_COMPLETION', 'FLAG_EDIT'], true],
    [['FLAG_CHAT', 'FLAG_COMPLETION'], false],
    [['FLAG_EMBEDDINGS'], false],
    [[], false],
  ])('has these uses: %j, %s', (capabilities, expected) => {
    expect(continuesText({ capabilities })).toBe(expected)
  })
})
