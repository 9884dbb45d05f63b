import { readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FileOrigin, startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type DownloadWorld, noise, openDownloads, sha256 } from './__fixtures__/world.ts'

const MIB = 1024 * 1024
const content = noise(8 * MIB)
const digest = sha256(content)
const parts = { parts: 4, partBytes: MIB }

async function fetchFile({ dir, downloader, signal }: DownloadWorld, { origin }: FileOrigin, sha?: string) {
  const target = dir.join('x')
  const seen: number[] = []
  await downloader.download({
    target,
    source: { url: `${origin}/x`, trust: 'operator' },
    sha256: sha,
    signal,
    onProgress: ({ currentBytes }) => seen.push(currentBytes),
  })
  expect(await readdir(dir.path)).toEqual(['x'])
  return { digest: sha256(await readFile(target)), seen }
}

const listRanges = ({ requests }: FileOrigin): readonly (string | undefined)[] =>
  requests.map(({ headers }) => headers.range)

describe('a large file', () => {
  // verifies limits:downloads:parts
  it('comes in parts over several connections, each of which is asked for once', async () => {
    await using world = await openDownloads(parts)
    await using origin = await startFileOrigin({ files: { '/x': content } })
    const { digest: found, seen } = await fetchFile(world, origin)
    expect(found).toBe(digest)
    const wanted = [1, 2, 3, 4, 5, 6, 7].map((part) => `bytes=${part * MIB}-${(part + 1) * MIB - 1}`)
    expect(listRanges(origin)).toEqual([undefined, ...wanted])
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(seen.at(-1)).toBe(content.length)
  })

  it('comes with four parts at a time and no more', async () => {
    let [running, most] = [0, 0]
    await using world = await openDownloads(parts)
    await using origin = await startFileOrigin({
      files: { '/x': content },
      handle(_request: IncomingMessage, response: ServerResponse) {
        running += 1
        most = Math.max(most, running)
        response.once('close', () => (running -= 1))
        return false
      },
    })
    expect((await fetchFile(world, origin)).digest).toBe(digest)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
  })

  it.each([
    ['parts are turned off', { parts: 1 }, {}],
    ['it is small', { partBytes: 2 * MIB + 1 }, {}],
    ['the origin serves no ranges', {}, { hasRanges: false }],
  ])('comes over one connection where %s', async (_name, options, originOptions) => {
    await using world = await openDownloads({ ...parts, ...options })
    await using origin = await startFileOrigin({ files: { '/x': content }, ...originOptions })
    expect((await fetchFile(world, origin, digest)).digest).toBe(digest)
    expect(listRanges(origin)).toEqual([undefined])
  })

  it.each([
    ['refuses a second connection', { status: 429 }],
    ['refuses with 403', { status: 403 }],
    ['answers with another part', { contentRange: `bytes 0-${MIB - 1}/${content.length}` }],
    ['cuts a part', { cutAfter: 64 * 1024 }],
    ['cuts a part before its first byte', { cutAfter: 0 }],
  ])('is whole where the origin %s', async (_name, fault) => {
    await using world = await openDownloads(parts)
    await using origin = await startFileOrigin({ files: { '/x': content } })
    origin.faults.push({}, {}, fault)
    expect((await fetchFile(world, origin)).digest).toBe(digest)
  })

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity'])(
    'is whole where the origin encodes a part as %s',
    async (coding) => {
      await using world = await openDownloads(parts)
      await using origin = await startFileOrigin({
        files: { '/x': content },
        handle({ headers }, response) {
          if (!/^bytes=\d+-\d+$/.test(headers.range ?? '')) return false
          response.writeHead(206, {
            'content-encoding': coding,
            'content-range': `${headers.range?.replace('=', ' ')}/${content.length}`,
            etag: '"1"',
          })
          response.end(Buffer.alloc(MIB))
          return true
        },
      })
      origin.files.set('/x', { content, etag: '"1"' })
      expect((await fetchFile(world, origin)).digest).toBe(digest)
    },
  )

  it.each([1, 2, 3, 5, 7])('is fetched again in one where part %i is of another content', async (wrong) => {
    await using world = await openDownloads(parts)
    await using origin = await startFileOrigin({
      files: { '/x': content },
      handle({ headers }, response) {
        if (headers.range?.startsWith(`bytes=${wrong * MIB}-`) !== true) return false
        const range = `${wrong * MIB}-${(wrong + 1) * MIB - 1}`
        response.writeHead(206, { 'content-range': `bytes ${range}/${content.length}` })
        response.end(noise(MIB, 99))
        return true
      },
    })
    expect((await fetchFile(world, origin, digest)).digest).toBe(digest)
    expect(listRanges(origin).filter((range) => range === undefined)).toHaveLength(2)
    expect(listRanges(origin).at(-1)).toBeUndefined()
  })

  it('goes on in parts behind what a pause has left', async () => {
    await using world = await openDownloads(parts)
    await using origin = await startFileOrigin({ files: { '/x': content } })
    const stop = new AbortController()
    const target = world.dir.join('x')
    const source = { url: `${origin.origin}/x`, trust: 'operator' } as const
    const paused = world.downloader.download({
      target,
      source,
      signal: stop.signal,
      onProgress: ({ currentBytes }) => {
        if (currentBytes > 3 * MIB) stop.abort(new Error('paused'))
      },
    })
    await expect(paused).rejects.toThrow('paused')
    const left = (await stat(`${target}.partial`)).size
    expect(content.subarray(0, left).equals(await readFile(`${target}.partial`))).toBe(true)
    expect((await fetchFile(world, origin)).digest).toBe(digest)
  })

  it.each([
    ['with another tag', '"2"', true],
    ['with another tag, and parts whatever the condition', '"2"', false],
    ['without a tag', null, false],
  ])('that changes while its parts come is fetched again in one, %s', async (_name, etag, hasConditions) => {
    const changed = noise(8 * MIB, 2)
    await using world = await openDownloads(parts)
    await using origin: FileOrigin = await startFileOrigin({
      files: { '/x': content },
      hasConditions,
      handle({ headers }) {
        if (headers.range?.startsWith(`bytes=${3 * MIB}-`) === true) origin.files.set('/x', { content: changed, etag })
        return false
      },
    })
    expect((await fetchFile(world, origin)).digest).toBe(sha256(changed))
  })
})
