import { describe, expect, it } from 'vitest'
import type { FileLookup } from './found-file.ts'
import { shareLooks } from './shared-looks.ts'

const file = (path: string): FileLookup => ({
  found: true,
  path,
  sizeBytes: 1,
  modifiedAt: 0,
  signature: path,
  changedAt: 0,
})

/** Looks at a folder `/m` whose clock and changes the test owns. */
function world({ freshMs = 2, isWatched = true, ageMs = 60_000, target = (path: string) => `/m/${path}` } = {}) {
  const state = { now: 0, version: isWatched ? 0 : (undefined as number | undefined), looks: 0 }
  const shared = shareLooks(
    (path) => {
      state.looks += 1
      return file(target(path))
    },
    {
      folder: '/m',
      freshMs,
      now: () => state.now,
      wallNow: () => ageMs,
      changes: {
        get version() {
          return state.version
        },
      },
    },
  )
  return { state, ...shared }
}

describe('shareLooks', () => {
  it('looks again only after a change', () => {
    const { state, find } = world()
    for (let time = 0; time < 900; time += 100) {
      state.now = time
      find('a.yaml')
    }
    expect(state.looks).toBe(1)
    state.version = 1
    find('a.yaml')
    expect(state.looks).toBe(2)
  })

  it('looks again after a second, where no change is reported', () => {
    const { state, find } = world()
    find('a.yaml')
    state.now = 1000
    find('a.yaml')
    expect(state.looks).toBe(2)
  })

  it.each([
    ['the folder is not watched', { isWatched: false }, 'a.yaml'],
    ['the file is in a folder below', {}, 'sub/a.gguf'],
    ['the file is a link', { target: () => '/elsewhere/a.gguf' }, 'a.gguf'],
  ])('shares a look for a moment only where %s', (_, options, path) => {
    const { state, find } = world(options)
    find(path)
    state.now = 1
    find(path)
    expect(state.looks).toBe(1)
    state.now = 2
    find(path)
    expect(state.looks).toBe(2)
  })

  it('shares no look at a file that changed in the last two seconds: its writer may not be done', () => {
    for (const [ageMs, looks] of [
      [0, 2],
      [2000, 2],
      [2001, 1],
    ]) {
      const { state, find } = world({ ageMs })
      find('a.yaml')
      find('a.yaml')
      expect(state.looks, `${ageMs} ms`).toBe(looks)
    }
  })

  it('forgets on demand', () => {
    const { state, find, forget } = world()
    find('a.yaml')
    forget()
    find('a.yaml')
    expect(state.looks).toBe(2)
  })

  it('keeps a bounded number of looks', () => {
    const { state, find } = world()
    for (let index = 0; index < 65; index += 1) find(`${index}.yaml`)
    find('0.yaml')
    expect(state.looks).toBe(66)
  })
})
