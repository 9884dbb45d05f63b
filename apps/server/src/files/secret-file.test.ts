import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { openSecretFile } from './secret-file.ts'

it('is made once and read from then on', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  const secret = await openSecretFile(path)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(await openSecretFile(path)).toBe(secret)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['.hmac_secret'])
})

it('is one for all who start together', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  const secrets = await Promise.all(Array.from({ length: 20 }, () => openSecretFile(path)))
  expect(new Set(secrets).size).toBe(1)
  expect((await readFile(path, 'utf8')).trim()).toBe(secrets[0])
})

it('that is cut is refused and stays as it is', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  await writeFile(path, 'short')
  await expect(openSecretFile(path)).rejects.toMatchObject({ exitCode: 78, message: /restore it from a copy/ })
  expect(await readFile(path, 'utf8')).toBe('short')
})
