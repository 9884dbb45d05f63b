import { describe, expect, it } from 'vitest'
import { hasGalleryFilter, readModelsSearch } from './search.ts'

describe('the search parameters of the models', () => {
  it('are kept as they are when they are right', () => {
    const search = { view: 'installed', q: 'cedar', state: 'loaded', model: 'cedar-9b', pages: 3, fits: true }
    expect(readModelsSearch(search)).toEqual(search)
  })

  it.each([
    { view: 'all' },
    { view: 'UNUSED' },
    { pages: 1 },
    { pages: 'many' },
    { pages: 2.5 },
    { sort: 'colour' },
    { order: 'up' },
    { state: 'tired' },
    { fits: 'maybe' },
    { q: '' },
    { q: ['a'] },
  ])('%j becomes the default', (search) => {
    expect(readModelsSearch(search)).toEqual({})
  })

  it('read a name that looks like a number, and bound the pages', () => {
    expect(readModelsSearch({ q: 70, pages: 5000 })).toEqual({ q: '70', pages: 40 })
  })

  it('tell whether the list is narrowed', () => {
    expect(hasGalleryFilter({ sort: 'name', model: 'x' })).toBe(false)
    expect(hasGalleryFilter({ fits: true })).toBe(true)
    expect(hasGalleryFilter({ tag: 'chat' })).toBe(true)
  })
})
