import { describe, expect, it } from 'vitest'
import { describeInstalled } from './installed-backends.ts'
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
  it('show a newer version alone where there is one, and facts that are not empty', () => {
    const bare = { Name: 'bare', RunFile: '', IsMeta: false, IsSystem: false, Metadata: {} }
    const reply = [
      {
        Name: 'llama',
        IsMeta: false,
        IsSystem: true,
        RunFile: 'run.sh',
        Metadata: { name: 'llama', version: '1.0', alias: '', gallery_url: 'http://gallery.example' },
        upgrade_available: true,
        available_version: '1.1',
      },
      { ...bare, upgrade_available: false, available_version: '9' },
    ]
    expect(describeInstalled(reply)).toEqual([
      {
        name: 'llama',
        version: '1.0',
        isMeta: false,
        isSystem: true,
        availableVersion: '1.1',
        facts: [['gallery_url', 'http://gallery.example']],
      },
      { name: 'bare', version: '', isMeta: false, isSystem: false, availableVersion: undefined, facts: [] },
    ])
  })
})
