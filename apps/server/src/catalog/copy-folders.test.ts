import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { hashWriter } from '../operations/server-id.ts'
import { makeCopyFolder, removeStaleCopies } from './copy-folders.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const serverId = 'this-server'
const OTHER = hashWriter('another-server')
const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Writes a file with its folder; both were last changed `ageMs` ago. */
async function write(path: string, ageMs: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, 'weights')
  const at = (Date.now() - ageMs) / 1000
  await utimes(path, at, at)
  await utimes(dirname(path), at, at)
}

it('removes the folders of copies that a kill has left, and no others', async () => {
  await using dir = await tempDir()
  const place = { modelsPath: dir.path, serverId }
  const own = await makeCopyFolder(place)
  await write(join(own, 'weights/model.onnx'), 0)
  const cases: readonly (readonly [name: string, ageMs: number, isLeft: boolean])[] = [
    [`.copying-${hashWriter(serverId)}-AbC123/weights`, 0, false],
    [`.copying-${OTHER}-AbC123/weights`, 0, true],
    [`.copying-${OTHER}-AbC124/weights`, DAY_MS - 60_000, true],
    [`.copying-${OTHER}-AbC125/weights`, DAY_MS + 60_000, false],
    ['.copying-AbC123/weights', 0, true],
    ['.copying-AbC124/weights', DAY_MS + 60_000, false],
    ['.copying-AbC1234/weights', 10 * DAY_MS, true],
    ['.copying-.copying/weights', 10 * DAY_MS, true],
    ['.copying-/weights', 10 * DAY_MS, true],
    ['copying-AbC123/weights', 10 * DAY_MS, true],
    ['.copying-AbC126', 10 * DAY_MS, true],
    ['model/.copying-AbC127/weights', 10 * DAY_MS, true],
  ]
  for (const [name, ageMs] of cases) await write(join(dir.path, name), ageMs)
  // A folder that is old, but in which a file was written a moment ago.
  await write(join(dir.path, `.copying-${OTHER}-AbC128/weights`), 0)
  await utimes(join(dir.path, `.copying-${OTHER}-AbC128`), 1, 1)
  await removeStaleCopies(place, { logger, now: Date.now() })
  const left = cases.flatMap(([name, , isLeft]) => (isLeft ? [name.split('/')[0] ?? ''] : []))
  expect(await readdir(dir.path)).toEqual([...left, `.copying-${OTHER}-AbC128`].sort())
})

it('takes a models folder that is not there for an empty one', async () => {
  await using dir = await tempDir()
  const place = { modelsPath: join(dir.path, 'none'), serverId }
  await expect(removeStaleCopies(place, { logger, now: Date.now() })).resolves.toBeUndefined()
})
