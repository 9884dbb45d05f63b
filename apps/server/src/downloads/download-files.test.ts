import { readdir } from 'node:fs/promises'
import { startFileOrigin } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { noise, openDownloads, sha256 } from './__fixtures__/world.ts'
import { downloadFiles } from './download-files.ts'

const MIB = 1024 * 1024
const contents = Array.from({ length: 4 }, (_, index) => noise(MIB, index + 1))
const files = Object.fromEntries(contents.map((content, index) => [`/${index}.bin`, content]))

// verifies limits:downloads:whole-files
it.each([1, 2])('fetches %i whole files at a time and adds their bytes up', async (concurrency) => {
  let running = 0
  let most = 0
  // The origin answers once as many requests have come as files are fetched at a time.
  const held: (() => void)[] = []
  await using origin = await startFileOrigin({
    files,
    handle(request, response) {
      running += 1
      most = Math.max(most, running)
      response.once('close', () => {
        running -= 1
      })
      held.push(() => response.end(files[request.url ?? '']))
      if (held.length === concurrency) for (const answer of held.splice(0)) answer()
      return true
    },
  })
  await using world = await openDownloads()
  const seen: { currentBytes: number; totalBytes: number }[] = []
  const done = await downloadFiles(world.downloader, {
    files: contents.map((content, index) => ({
      target: world.dir.join(`${index}.bin`),
      source: { url: `${origin.origin}/${index}.bin`, trust: 'operator' },
      sha256: sha256(content),
      sizeBytes: content.length,
    })),
    concurrency,
    onProgress: (progress) => seen.push(progress),
    signal: world.signal,
  })
  expect(done.map((file) => file.sha256)).toEqual(contents.map(sha256))
  expect(most).toBe(concurrency)
  expect(origin.requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined, undefined, undefined])
  expect(seen.every(({ totalBytes }) => totalBytes === 4 * MIB)).toBe(true)
  expect(seen.at(-1)?.currentBytes).toBe(4 * MIB)
})

it('tells apart what comes now and what was here before', async () => {
  await using origin = await startFileOrigin({ files })
  await using world = await openDownloads()
  const [first = Buffer.alloc(0)] = contents
  const toRequest = (index: number) => ({
    target: world.dir.join(`${index}.bin`),
    source: { url: `${origin.origin}/${index}.bin`, trust: 'operator' } as const,
    sha256: sha256(contents[index] ?? first),
    sizeBytes: MIB,
  })
  await world.downloader.download({ ...toRequest(0), signal: world.signal })
  origin.faults.push({ cutAfter: MIB / 2 }, { status: 404 })
  await expect(world.downloader.download({ ...toRequest(1), signal: world.signal })).rejects.toThrow('404')
  const seen: { readonly currentBytes: number; readonly receivedBytes: number }[] = []
  await downloadFiles(world.downloader, {
    files: [toRequest(0), toRequest(1), toRequest(2)],
    concurrency: 1,
    signal: world.signal,
    onProgress: (progress) => seen.push(progress),
  })
  expect(seen[0]).toMatchObject({ currentBytes: MIB, receivedBytes: 0 })
  expect(seen.at(-1)?.currentBytes).toBe(3 * MIB)
  expect(seen.at(-1)?.receivedBytes).toBeLessThanOrEqual(1.5 * MIB)
})

it('ends all with the first failure and tells that one', async () => {
  let hasBegun = false
  let refuse = (): void => undefined
  await using origin = await startFileOrigin({
    files,
    handle(request, response) {
      if (request.url !== '/1.bin') return false
      refuse = () => response.writeHead(403).end()
      if (hasBegun) refuse()
      return true
    },
  })
  await using world = await openDownloads()
  origin.faults.push({ stallAfter: MIB / 2 })
  const failed = downloadFiles(world.downloader, {
    files: [0, 1, 2].map((index) => ({
      target: world.dir.join(`${index}.bin`),
      source: { url: `${origin.origin}/${index}.bin`, trust: 'operator' as const },
    })),
    concurrency: 2,
    onProgress() {
      hasBegun = true
      refuse()
    },
    signal: world.signal,
  })
  await expect(failed).rejects.toThrow('status 403')
  expect(await readdir(world.dir.path)).toEqual(['0.bin.partial', '0.bin.partial.json'])
})
