import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { Logger } from '../ports.ts'
import { openPriceFile } from './price-file.ts'

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const PRICES = 'prices: [{ model: m, input: 1 }]'

async function openWorld(text?: string) {
  const folder = await tempDir()
  const path = folder.join('prices.yaml')
  if (text !== undefined) await writeFile(path, text)
  const file = await openPriceFile({ path, pollIntervalMs: 0, clock: createFakeClock(), logger })
  const close = async (): Promise<void> => {
    await file.close()
    await folder.close()
  }
  return { folder, path, file, [Symbol.asyncDispose]: close }
}

it('a list comes and goes with its file', async () => {
  await using world = await openWorld()
  const { file, path } = world
  expect([file.list, file.version]).toEqual([undefined, ''])
  await writeFile(path, PRICES)
  await file.reload()
  const { list, version } = file
  expect([list?.entries.length, version]).toEqual([1, expect.stringMatching(/^\w+$/)])
  await file.reload()
  expect(file.list).toBe(list)
  await rename(path, `${path}.old`)
  await file.reload()
  expect([file.list, file.version]).toEqual([undefined, ''])
})

it('a wrong list leaves the last good one in use, and so does a folder that went away', async () => {
  await using world = await openWorld(PRICES)
  const { file, path, folder } = world
  const { list } = file
  await writeFile(path, 'prices: [{ model: m }]')
  await file.reload()
  expect([file.list, file.problems]).toEqual([list, [expect.objectContaining({ line: 1, key: 'prices[0]' })]])
  await writeFile(path, PRICES)
  await file.reload()
  expect(file.problems).toEqual([])
  await rename(folder.path, `${folder.path}-away`)
  await file.reload()
  expect([file.list?.entries.length, file.problems]).toEqual([1, [{ reason: 'its folder is not there' }]])
  await rename(`${folder.path}-away`, folder.path)
})

it('a wrong list at the start refuses it with every line', async () => {
  await expect(openWorld('prices:\n  - { model: m, input: y }\n  - { model: n, input: x }')).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringMatching(/prices\.yaml:2: prices\[0\]\.input: .*prices\.yaml:3: prices\[1\]\.input: /),
  })
})

it('is replaced as a whole, and not over a change of somebody else', async () => {
  await using world = await openWorld(PRICES)
  const { file, path } = world
  const before = file.version
  await file.replace('currency: EUR\n', before)
  expect([file.list?.currency, await readFile(path, 'utf8')]).toEqual(['EUR', 'currency: EUR\n'])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await expect(file.replace(PRICES, before)).rejects.toMatchObject({ code: 'prices_changed' })
  await file.replace(PRICES, undefined)
  expect(file.list?.currency).toBe('USD')
})
