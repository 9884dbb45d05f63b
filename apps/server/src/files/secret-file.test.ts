import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { makeSecretFile, readSecretFile, replaceSecretFile } from './secret-file.ts'

it('is made once and read from then on', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  expect(await readSecretFile(path)).toBeUndefined()
  const secret = await makeSecretFile(path)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect([await readSecretFile(path), await makeSecretFile(path)]).toEqual([secret, secret])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['.hmac_secret'])
})

it('is one for all who start together', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  const secrets = await Promise.all(Array.from({ length: 20 }, () => makeSecretFile(path)))
  expect(new Set(secrets).size).toBe(1)
  expect((await readFile(path, 'utf8')).trim()).toBe(secrets[0])
})

it('that is cut is refused and stays as it is', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  await writeFile(path, 'short')
  for (const open of [readSecretFile, makeSecretFile])
    await expect(open(path)).rejects.toMatchObject({ exitCode: 78, message: /restore it from a copy/ })
  expect(await readFile(path, 'utf8')).toBe('short')
})

it('is replaced on request, whatever it was, and stays private', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, '.hmac_secret')
  await writeFile(path, 'short', { mode: 0o644 })
  const secret = await replaceSecretFile(path)
  expect(await readSecretFile(path)).toBe(secret)
  expect(await replaceSecretFile(path)).not.toBe(secret)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['.hmac_secret'])
  await expect(replaceSecretFile(join(folder.path, 'none', 'file'))).rejects.toMatchObject({ exitCode: 78 })
})
