import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { watchFile } from './watch-file.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** Counts calls, and waits for the next one. */
function counter() {
  let count = 0
  const waiting = new Set<() => void>()
  return {
    hit() {
      count += 1
      for (const wake of waiting) wake()
      waiting.clear()
    },
    get count() {
      return count
    },
    next: () => new Promise<void>((resolve) => waiting.add(resolve)),
  }
}

const fast = { clock: systemClock, debounceMs: 5 }

describe('a watched file', () => {
  it('tells of writing, replacing, removing and making', async () => {
    await using dir = await tempDir()
    const path = dir.join('a.json')
    const told = counter()
    await using _watch = await watchFile(path, () => told.hit(), fast)
    for (const change of [
      () => writeFile(path, '1'),
      () => writeFileAtomic(path, '2', { mode: 0o600 }),
      () => writeFileAtomic(path, '3', { mode: 0o600 }),
      () => writeFile(path, '4'),
      () => unlink(path),
      () => writeFile(path, '5'),
    ]) {
      const next = told.next()
      await change()
      await next
    }
  })
  it('tells when a link on the way to it points elsewhere, as mounted configuration changes', async () => {
    await using dir = await tempDir()
    for (const name of ['one', 'two']) {
      await mkdir(dir.join(name))
      await writeFile(dir.join(name, 'a.json'), name)
    }
    await symlink('one', dir.join('..data'))
    await symlink('..data/a.json', dir.join('a.json'))
    const told = counter()
    await using _watch = await watchFile(dir.join('a.json'), () => told.hit(), fast)
    const next = told.next()
    await symlink('two', dir.join('..data_tmp'))
    await rename(dir.join('..data_tmp'), dir.join('..data'))
    await next
  })
  it('is not told of other files', async () => {
    await using dir = await tempDir()
    const told = counter()
    await using _watch = await watchFile(dir.join('a.json'), () => told.hit(), fast)
    await writeFile(dir.join('b.json'), '1')
    const next = told.next()
    await writeFile(dir.join('a.json'), '1')
    await next
    expect(told.count).toBe(1)
  })
  it('is told once of many changes close together', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const told = counter()
    await using _watch = await watchFile(dir.join('a.json'), () => told.hit(), { clock })
    for (let index = 0; index < 20; index += 1) await writeFile(dir.join('a.json'), String(index))
    // one sleeper checks the watch, the other waits for the changes to end
    await clock.waitForSleepers(2)
    expect(told.count).toBe(0)
    const next = told.next()
    await clock.advance(100)
    await next
    expect(told.count).toBe(1)
  })
  it('is not called after the watch was closed', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const told = counter()
    const watch = await watchFile(dir.join('a.json'), () => told.hit(), { clock })
    await writeFile(dir.join('a.json'), '1')
    await clock.waitForSleepers(2)
    await watch.close()
    await clock.advance(60_000)
    expect([told.count, clock.sleepers]).toEqual([0, 0])
  })
})

describe('a folder that comes and goes', () => {
  it('is found when it is made later', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const told = counter()
    await using _watch = await watchFile(dir.join('conf/a.json'), () => told.hit(), { clock, debounceMs: 0 })
    await mkdir(dir.join('conf'))
    await writeFile(dir.join('conf/a.json'), '1')
    const found = told.next()
    await clock.waitForSleepers(1)
    await clock.advance(5000)
    await found
  })
  it('is watched again after it was replaced', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('conf'))
    const clock = createFakeClock()
    const told = counter()
    await using _watch = await watchFile(dir.join('conf/a.json'), () => told.hit(), { clock, debounceMs: 0 })
    await rm(dir.join('conf'), { recursive: true })
    await mkdir(dir.join('conf'))
    await writeFile(dir.join('conf/a.json'), '1')
    const found = told.next()
    await clock.advance(5000)
    await found
  })
})

describe('polling', () => {
  it('finds a change that no event tells of', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const told = counter()
    // a link into another folder: its target changes without any event in the watched folder
    await mkdir(dir.join('far'))
    await mkdir(dir.join('near'))
    await writeFile(dir.join('far/a.json'), '1')
    await symlink(dir.join('far/a.json'), dir.join('near/a.json'))
    await using _watch = await watchFile(dir.join('near/a.json'), () => told.hit(), { clock, pollIntervalMs: 2000 })
    await clock.waitForSleepers(1)
    await writeFile(dir.join('far/a.json'), 'two')
    const found = told.next()
    await clock.advance(2000)
    await found
    await clock.waitForSleepers(1)
    await clock.advance(2000)
    await clock.waitForSleepers(1)
    expect(told.count).toBe(1)
  })
})
