import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { compareBytes, openModelFolder, readSmallFile } from './model-folder.ts'

it('lists names in byte order without hidden ones', async () => {
  await using dir = await tempDir()
  for (const name of ['b', 'a-b', 'a', 'Z', 'é', '.hidden', '.x.yaml']) writeFileSync(dir.join(name), '')
  expect(openModelFolder(dir.path).names()).toEqual(['Z', 'a', 'a-b', 'b', 'é'])
})

it('is empty while the folder does not exist or is a file', async () => {
  await using dir = await tempDir()
  writeFileSync(dir.join('file'), '')
  expect(openModelFolder(dir.join('nowhere')).names()).toEqual([])
  expect(openModelFolder(dir.join('file')).names()).toEqual([])
  expect(openModelFolder(dir.join('nowhere')).find('a')).toBeUndefined()
})

it('sorts beyond the basic plane by bytes, not by code units', () => {
  expect(['\u{1F600}', '\uFB01', 'a'].sort(compareBytes)).toEqual(['a', '\uFB01', '\u{1F600}'])
})

it('finds regular files and tells when they change', async () => {
  await using dir = await tempDir()
  const folder = openModelFolder(dir.path)
  writeFileSync(dir.join('a'), 'one')
  const first = folder.find('a')
  expect(first).toMatchObject({ found: true, path: dir.join('a'), sizeBytes: 3 })
  expect(folder.find('a')).toEqual(first)
  writeFileSync(dir.join('a'), 'three')
  expect(folder.find('a')).not.toEqual(first)
})

it('follows links inside the folder and refuses those that lead out', async () => {
  await using dir = await tempDir()
  await using other = await tempDir()
  writeFileSync(other.join('secret'), 'x')
  mkdirSync(dir.join('sub'))
  writeFileSync(dir.join('sub/real'), 'x')
  symlinkSync('sub/real', dir.join('inside'))
  symlinkSync(other.join('secret'), dir.join('outside'))
  symlinkSync('/etc/passwd', dir.join('passwd'))
  symlinkSync('gone', dir.join('dangling'))
  symlinkSync('loop', dir.join('loop'))
  const folder = openModelFolder(dir.path)
  expect(folder.find('inside')).toMatchObject({ found: true, path: dir.join('sub/real') })
  for (const name of ['outside', 'passwd']) {
    expect(folder.find(name)).toEqual({ found: false, fault: 'is a link to outside the folder' })
  }
  expect(folder.find('dangling')).toBeUndefined()
  expect(folder.find('loop')).toEqual({ found: false, fault: 'it is a symbolic link' })
})

it('takes neither pipes nor sockets nor folders for files', async () => {
  await using dir = await tempDir()
  execFileSync('mkfifo', [dir.join('pipe')])
  const server = createServer().listen(dir.join('socket'))
  await once(server, 'listening')
  mkdirSync(dir.join('sub'))
  const folder = openModelFolder(dir.path)
  for (const name of ['pipe', 'socket'])
    expect(folder.find(name)).toEqual({ found: false, fault: 'is not a regular file' })
  expect(folder.find('sub')).toBeUndefined()
  server.close()
})

it('reads up to a limit', async () => {
  await using dir = await tempDir()
  writeFileSync(dir.join('a'), 'abc')
  writeFileSync(dir.join('empty'), '')
  const folder = openModelFolder(dir.path)
  const [a, empty] = [folder.find('a'), folder.find('empty')]
  if (a?.found !== true || empty?.found !== true) throw new Error('not found')
  expect(readSmallFile(a, 3)?.toString()).toBe('abc')
  expect(readSmallFile(a, 2)).toBeUndefined()
  expect(readSmallFile(empty, 2)?.length).toBe(0)
})
