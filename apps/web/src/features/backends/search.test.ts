import { describe, expect, it } from 'vitest'
import { readInstalled } from './installed-backends.ts'
import { readBackendsSearch } from './search.ts'

describe('the search parameters of the backends', () => {
  it('are kept when they are right', () => {
    const search = { view: 'installed', q: 'll', state: 'user', show_all: 1, development: 1, backend: 'llama' }
    expect(readBackendsSearch(search)).toEqual(search)
  })

  it('become defaults when they are wrong', () => {
    expect(readBackendsSearch({ view: 'x', q: '', state: 'tired', show_all: 0, development: 'no', tag: [] })).toEqual(
      {},
    )
  })
})

describe('the installed backends', () => {
  it('are read field by field, and what is no backend is passed over', () => {
    const reply = [
      {
        ...{ Name: 'llama', IsMeta: false, IsSystem: true, RunFile: 'run.sh' },
        Metadata: { version: '1.0', gallery_url: 'http://gallery.example', installed_at: '2026-11-01T00:00:00Z' },
        ...{ upgrade_available: true, available_version: '1.1' },
      },
      { Name: 'bare' },
      { name: 'nothing' },
      7,
    ]
    expect(readInstalled(reply)).toEqual([
      {
        name: 'llama',
        version: '1.0',
        isMeta: false,
        isSystem: true,
        availableVersion: '1.1',
        facts: expect.any(Array),
      },
      { name: 'bare', version: '', isMeta: false, isSystem: false, availableVersion: undefined, facts: [] },
    ])
    expect(readInstalled({ error: 'x' })).toEqual([])
  })
})
