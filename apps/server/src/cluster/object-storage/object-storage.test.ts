import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { listenOnFreePort, startCutProxy, tempDir, trackSockets } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { useStorage } from './__fixtures__/use-storage.ts'

const { s3, open } = await useStorage()
const dir = await tempDir('svc-objects-')
afterAll(() => dir.close())

const signal = new AbortController().signal

async function makeFile(name: string, sizeBytes: number) {
  const bytes = randomBytes(sizeBytes)
  const path = dir.join(name)
  await writeFile(path, bytes)
  return { path, sizeBytes, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

const MAX = { maxBytes: 1e9 }

describe('objects of a real server', () => {
  it('stores a file in parts and fetches it from where it broke off', async () => {
    const file = await makeFile('large', 17 * 1024 * 1024 + 5)
    const storage = open()
    const seen: number[] = []
    await storage.put('svc/large', file, { signal, onProgress: (bytes) => seen.push(bytes) })
    expect(seen).toHaveLength(3)
    expect(seen.at(-1)).toBe(file.sizeBytes)
    expect(await storage.find('svc/large', { signal })).toEqual({ sizeBytes: file.sizeBytes, sha256: file.sha256 })

    await using cut = await startCutProxy({
      target: { port: s3.port },
      cut: { direction: 'response', afterBytes: 6 * 1024 * 1024, how: 'rst' },
    })
    const path = dir.join('fetched')
    const { sha256, sizeBytes } = file
    const through = open({ storageUrl: `http://127.0.0.1:${cut.port}` })
    const got = await through.get('svc/large', { path, sha256, sizeBytes, ...MAX }, { signal })
    expect(got).toEqual({ sizeBytes: file.sizeBytes, sha256: file.sha256 })
    expect(cut.cuts).toBeGreaterThan(1)
    expect((await readFile(path)).equals(file.bytes)).toBe(true)
    // What is whole is not fetched again: the server refuses this key.
    const refused = open({ storageAccessKey: 'NOBODY' })
    expect(await refused.get('svc/large', { path, sha256, sizeBytes, ...MAX }, { signal })).toEqual(got)
  })

  it('stores small and empty files, lists and removes them, under any name', async () => {
    const storage = open()
    const keys = ['svc/t/empty', "svc/t/ü +%2F&?#=(1)'*!", 'svc/t/😀']
    for (const [size, key] of keys.entries()) await storage.put(key, await makeFile(`s${size}`, size), { signal })
    const listed: string[] = []
    for await (const part of storage.list('svc/t/', { signal })) listed.push(...part)
    expect(listed.sort()).toEqual([...keys].sort())
    for (const key of keys) await storage.remove(key, { signal })
    expect(await storage.find(keys[1] ?? '', { signal })).toBeUndefined()
    expect(await storage.get(keys[1] ?? '', { path: dir.join('none'), ...MAX }, { signal })).toBeUndefined()
  })

  it('refuses keys that an address would change', async () => {
    for (const key of ['a/../b', 'a/./b', '..', 'a//b', '', 'a\nb', 'x'.repeat(1025), '\ud800']) {
      await expect(open().find(key, { signal })).rejects.toMatchObject({ code: 'bad_object_key' })
    }
  })

  it('says what is wrong with the key or the bucket', async () => {
    const file = await makeFile('small', 10)
    const refused = { code: 'storage_refused' }
    await expect(open({ storageAccessKey: 'NOBODY' }).put('k', file, { signal })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('SVC_STORAGE_ACCESS_KEY'),
    })
    const elsewhere = open({ storageBucket: 'not-there' })
    await expect(elsewhere.put('k', file, { signal })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('SVC_STORAGE_BUCKET'),
    })
    await expect(elsewhere.get('k', { path: dir.join('x'), ...MAX }, { signal })).rejects.toMatchObject(refused)
    await expect(elsewhere.check(signal)).rejects.toMatchObject(refused)
    await open().check(signal)
  })

  it('empties a file of other bytes, and refuses an object of another hash', async () => {
    const [file, other] = [await makeFile('one', 1000), await makeFile('other', 400)]
    const storage = open()
    await storage.put('svc/one', file, { signal })
    const target = { path: other.path, sha256: file.sha256, ...MAX }
    await expect(storage.get('svc/one', target, { signal })).rejects.toMatchObject({ code: 'storage_wrong_hash' })
    expect(await readFile(other.path)).toHaveLength(0)
    expect(await storage.get('svc/one', target, { signal })).toMatchObject({ sizeBytes: 1000 })
    await expect(storage.get('svc/one', { path: other.path, maxBytes: 999 }, { signal })).rejects.toMatchObject({
      code: 'storage_refused',
    })
  })
})

/** A storage that answers by a script: what real servers seldom do. */
async function startScript(answers: readonly ((url: string) => [number, Record<string, string>, string])[]) {
  const asked: { readonly url: string; readonly authorization: string | undefined }[] = []
  const server = createServer((request, reply) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization })
    request.resume().on('end', () => {
      const [status, headers, body] = answer?.(request.url ?? '') ?? [500, {}, '']
      reply.writeHead(status, headers)
      // A length that the body does not have is a cut.
      if (headers['content-length'] === undefined || request.method === 'HEAD') reply.end(body)
      else reply.write(body, () => reply.destroy())
    })
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { asked, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: sockets.close }
}

const ERROR = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m &amp; n</Message></Error>`

describe('a storage in trouble', () => {
  it('is asked again when it is busy, and given up after its budget', async () => {
    const busy = () => [503, {}, ERROR('SlowDown')] as [number, Record<string, string>, string]
    await using script = await startScript([busy, () => [200, { etag: '"x"' }, ''], busy])
    const storage = open({ storageUrl: script.url })
    const file = await makeFile('busy', 5)
    await storage.put('k', file, { signal })
    expect(script.asked).toHaveLength(2)
    await expect(storage.put('k', file, { signal, budgetMs: 300 })).rejects.toMatchObject({
      code: 'storage_away',
      message: expect.stringContaining('SlowDown: m & n'),
    })
  })

  it('says which setting a refused signature is of', async () => {
    await using script = await startScript([() => [403, {}, ERROR('SignatureDoesNotMatch')]])
    await expect(open({ storageUrl: script.url }).remove('k', { signal })).rejects.toMatchObject({
      code: 'storage_refused',
      message: expect.stringContaining('SVC_STORAGE_SECRET_KEY'),
    })
    expect(script.asked).toHaveLength(1)
  })

  it('takes no credentials to another host', async () => {
    await using other = await startScript([() => [200, {}, '']])
    await using script = await startScript([() => [307, { location: `${other.url}/k` }, '']])
    await expect(open({ storageUrl: script.url }).find('k', { signal })).rejects.toMatchObject({
      code: 'storage_refused',
      message: expect.stringContaining('redirects'),
    })
    expect(other.asked).toEqual([])
    expect(script.asked[0]?.authorization).toContain('AWS4-HMAC-SHA256')
    expect(script.asked[0]?.authorization).not.toContain(`Secret=${s3.secretKey}`)
  })

  it('does not take a cut reply or a failure in a good status for success', async () => {
    await using cut = await startScript([() => [200, { 'content-length': '100' }, 'half']])
    const short = open({ storageUrl: cut.url }).get('k', { path: dir.join('cut'), ...MAX }, { signal, budgetMs: 300 })
    await expect(short).rejects.toMatchObject({ code: 'storage_away' })

    const file = await makeFile('parts', 8 * 1024 * 1024 + 1)
    await using failing = await startScript([
      () => [200, {}, '<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>'],
      () => [200, { etag: '"1"' }, ''],
      () => [200, { etag: '"2"' }, ''],
      () => [200, {}, ERROR('InvalidPart')],
      () => [204, {}, ''],
    ])
    await expect(open({ storageUrl: failing.url }).put('k', file, { signal })).rejects.toMatchObject({
      code: 'storage_refused',
      message: expect.stringContaining('InvalidPart'),
    })
    // The upload that is given up is removed.
    expect(failing.asked.map(({ url }) => url).at(-1)).toBe(`/${s3.bucket}/k?uploadId=u%261`)
    expect(failing.asked).toHaveLength(5)
  })

  it('does not take an upload that the storage has dropped for one that is complete', async () => {
    const file = await makeFile('dropped', 8 * 1024 * 1024 + 1)
    const begin = [
      () => [200, {}, '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>'],
      () => [200, { etag: '"1"' }, ''],
      () => [200, { etag: '"2"' }, ''],
      () => [404, {}, ERROR('NoSuchUpload')],
    ] as Parameters<typeof startScript>[0]
    await using dropped = await startScript([...begin, () => [404, {}, '']])
    await expect(open({ storageUrl: dropped.url }).put('k', file, { signal })).rejects.toMatchObject({
      code: 'storage_refused',
      message: expect.stringContaining('NoSuchUpload'),
    })
    const head = { 'x-amz-meta-sha256': file.sha256, 'content-length': String(file.sizeBytes) }
    await using complete = await startScript([...begin, () => [200, head, '']])
    await open({ storageUrl: complete.url }).put('k', file, { signal })
    expect(complete.asked).toHaveLength(5)
  })

  it('lists the longest keys in pages that fit into a reply', async () => {
    const entry = `<Contents><Key>${'&amp;'.repeat(341)}</Key><ETag>&quot;x&quot;</ETag></Contents>`
    await using script = await startScript([
      (url) => {
        const count = Number(new URL(url, 'http://x').searchParams.get('max-keys'))
        return [200, {}, `<ListBucketResult>${entry.repeat(count)}</ListBucketResult>`]
      },
    ])
    for await (const keys of open({ storageUrl: script.url }).list('svc/', { signal, budgetMs: 1 })) {
      expect(keys[0]).toBe('&'.repeat(341))
    }
    expect(script.asked).toHaveLength(1)
  })

  it('leaves no connection behind for a reply that it does not read', async () => {
    const long = Buffer.alloc(1024 * 1024, 'x').toString()
    let cut = 0
    const server = createServer((request, reply) => {
      reply.writeHead(200, { 'content-length': String(10 * long.length) })
      reply.write(long)
      request.on('close', () => {
        cut += 1
      })
    })
    const sockets = trackSockets(server)
    const storage = open({ storageUrl: `http://127.0.0.1:${await listenOnFreePort(server)}` })
    await expect(storage.get('k', { path: dir.join('long'), maxBytes: 5 }, { signal })).rejects.toMatchObject({
      code: 'storage_refused',
    })
    await expect.poll(() => cut).toBe(1)
    await sockets.close()
  })

  it('ends with the signal', async () => {
    await using script = await startScript([() => [503, {}, '']])
    const ended = new AbortController()
    const running = open({ storageUrl: script.url }).find('k', { signal: ended.signal })
    await expect.poll(() => script.asked.length).toBeGreaterThan(0)
    ended.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
  })
})
