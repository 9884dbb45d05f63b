import { mkdir, rename, rm } from 'node:fs/promises'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createFolderWitness } from './folder-witness.ts'

it('trusts a folder, none that is away, and another one after a minute', async () => {
  await using dir = await tempDir()
  const clock = createFakeClock()
  const folder = dir.join('models')
  await mkdir(folder)
  const witness = createFolderWitness(folder, clock)
  expect(witness.tellsRemovals()).toBe(true)
  await rename(folder, dir.join('unmounted'))
  expect(witness.tellsRemovals()).toBe(false)
  await clock.advance(120_000)
  expect(witness.tellsRemovals()).toBe(false)
  await mkdir(folder)
  const since = createFolderWitness(dir.join('unmounted'), clock)
  expect(since.tellsRemovals()).toBe(true)
  await rm(folder, { recursive: true })
  await rename(dir.join('unmounted'), folder)
  expect(witness.tellsRemovals()).toBe(true)
  await rename(folder, dir.join('unmounted'))
  await mkdir(folder)
  expect(witness.tellsRemovals()).toBe(false)
  await clock.advance(60_000)
  expect(witness.tellsRemovals()).toBe(true)
})
