import { readdir, readFile, writeFile } from 'node:fs/promises'
import { type OriginFile, startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { noise, openDownloads, sha256 } from './__fixtures__/world.ts'
import { compareVersions } from './content-version.ts'

const MIB = 1024 * 1024
const MONDAY = 'Mon, 23 Nov 2026 08:00:00 GMT'
const TUESDAY = 'Tue, 24 Nov 2026 08:00:00 GMT'

/** Two versions of a file at an origin that sends parts whatever `If-Range` says. */
const CHANGES: readonly (readonly [string, Partial<OriginFile>, Partial<OriginFile>, number])[] = [
  ['another entity tag', { etag: '"1"' }, { etag: '"2"' }, 4],
  ['another tag, the same time', { etag: '"1"', lastModified: MONDAY }, { etag: '"2"', lastModified: MONDAY }, 4],
  ['the same tag, another time', { etag: '"1"', lastModified: MONDAY }, { etag: '"1"', lastModified: TUESDAY }, 4],
  ['another time', { etag: null, lastModified: MONDAY }, { etag: null, lastModified: TUESDAY }, 4],
  ['a later time, and a tag no more', { etag: '"1"', lastModified: MONDAY }, { etag: null, lastModified: TUESDAY }, 4],
  ['no tag any more', { etag: '"1"' }, { etag: null }, 4],
  ['no tag any more, the same time', { etag: '"1"', lastModified: MONDAY }, { etag: null, lastModified: MONDAY }, 4],
  ['a tag where there was none', { etag: null, lastModified: MONDAY }, { etag: '"1"', lastModified: MONDAY }, 4],
  ['a weak tag in place of a strong one', { etag: '"1"' }, { etag: 'W/"1"' }, 4],
  ['equal weak tags', { etag: 'W/"1"' }, { etag: 'W/"1"' }, 4],
  ['no tags and no times', { etag: null }, { etag: null }, 4],
  ['another length under the same tag', { etag: '"1"' }, { etag: '"1"' }, 5],
  ['a shorter content under the same tag', { etag: '"1"' }, { etag: '"1"' }, 3],
  ['a content that is as long as what is there', { etag: '"1"' }, { etag: '"1"' }, 2],
]

describe('a download that goes on with a file that has changed', () => {
  it.each(CHANGES)('is of one version alone: %s', async (_name, before, after, sizeMib) => {
    await using world = await openDownloads()
    await using origin = await startFileOrigin({ files: {}, hasConditions: false })
    const target = world.dir.join('x')
    const request = { target, source: { url: `${origin.origin}/x`, trust: 'operator' }, signal: world.signal } as const
    origin.files.set('/x', { content: noise(4 * MIB, 1), ...before })
    origin.faults.push({ cutAfter: 2 * MIB }, { status: 404 })
    await expect(world.downloader.download(request)).rejects.toMatchObject({ code: 'download_refused' })
    const changed = noise(sizeMib * MIB, 2)
    origin.files.set('/x', { content: changed, ...after })
    await world.downloader.download(request)
    expect(sha256(await readFile(target))).toBe(sha256(changed))
    expect(await readdir(world.dir.path)).toEqual(['x'])
  })

  it.each<readonly [string, Partial<OriginFile>]>([
    ['its strong tag', { etag: '"1"' }],
    ['its time, where it has no tag', { etag: null, lastModified: MONDAY }],
    ['both', { etag: '"1"', lastModified: MONDAY }],
  ])('goes on where %s is the same', async (_name, facts) => {
    await using world = await openDownloads()
    const content = noise(4 * MIB)
    await using origin = await startFileOrigin({ files: {} })
    origin.files.set('/x', { content, ...facts })
    origin.faults.push({ cutAfter: 2 * MIB })
    const target = world.dir.join('x')
    await world.downloader.download({
      target,
      source: { url: `${origin.origin}/x`, trust: 'operator' },
      signal: world.signal,
    })
    expect(sha256(await readFile(target))).toBe(sha256(content))
    expect(origin.sentBytes).toBe(content.length)
  })

  it('does not take a begin for the whole because the content now ends there', async () => {
    await using world = await openDownloads()
    await using origin = await startFileOrigin({ files: {}, hasConditions: false })
    const target = world.dir.join('x')
    const source = { url: `${origin.origin}/x`, trust: 'operator' } as const
    const changed = noise(MIB, 2)
    origin.files.set('/x', { content: changed, etag: '"2"' })
    await writeFile(`${target}.partial`, noise(MIB, 1))
    await writeFile(`${target}.partial.json`, JSON.stringify({ url: source.url, etag: '"1"', sizeBytes: 2 * MIB }))
    await world.downloader.download({ target, source, signal: world.signal })
    expect(sha256(await readFile(target))).toBe(sha256(changed))
  })
})

it.each([
  [{}, {}, 'unknown'],
  [{ etag: '"a"' }, { etag: '"a"' }, 'same'],
  [{ etag: '"a"' }, { etag: 'W/"a"' }, 'unknown'],
  [{ etag: 'W/"a"' }, { etag: 'W/"b"' }, 'other'],
  [{ etag: 'W/"a"', lastModified: MONDAY }, { etag: 'W/"a"', lastModified: MONDAY }, 'unknown'],
  [{ lastModified: MONDAY }, { lastModified: MONDAY }, 'same'],
  [{ lastModified: MONDAY }, {}, 'unknown'],
  [{ sizeBytes: 1 }, { sizeBytes: 2 }, 'other'],
  [{ sizeBytes: 1 }, { sizeBytes: 1 }, 'unknown'],
  [{ etag: '"a"', sizeBytes: 1 }, { etag: '"a"', sizeBytes: 2 }, 'other'],
  [{ etag: '"a"', sizeBytes: 1 }, { etag: '"a"' }, 'same'],
] as const)('versions %j and %j are %s', (one, other, expected) => {
  expect(compareVersions(one, other)).toBe(expected)
  expect(compareVersions(other, one)).toBe(expected)
})
