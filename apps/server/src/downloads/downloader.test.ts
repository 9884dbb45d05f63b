import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { collectLines, createDeferred, type FileOrigin, sourceArguments, startFileOrigin } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { noise, openDownloads, sha256 } from './__fixtures__/world.ts'

const MIB = 1024 * 1024
const content = noise(4 * MIB)
const digest = sha256(content)

const open = (options: Partial<Parameters<typeof startFileOrigin>[0]> = {}): Promise<FileOrigin> =>
  startFileOrigin({ files: { '/model.gguf': content }, ...options })

const toSource = ({ origin }: FileOrigin, path = '/model.gguf') =>
  ({ url: `${origin}${path}`, trust: 'operator' }) as const

describe('a download', () => {
  it('puts the whole file in its place, leaves nothing beside it, and tells real bytes', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const { dir, downloader, signal } = world
    const seen: number[] = []
    const done = await downloader.download({
      target: dir.join('sub', 'model.gguf'),
      source: toSource(origin),
      sha256: digest,
      signal,
      onProgress: ({ currentBytes, totalBytes }) => {
        expect(totalBytes).toBe(content.length)
        seen.push(currentBytes)
      },
    })
    expect(done).toEqual({ sha256: digest, sizeBytes: content.length, isReused: false })
    expect(seen.at(-1)).toBe(content.length)
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(await readdir(dir.join('sub'))).toEqual(['model.gguf'])
    expect(content.equals(await readFile(dir.join('sub', 'model.gguf')))).toBe(true)
    expect((await stat(dir.join('sub', 'model.gguf'))).mode & 0o777).toBe(0o644)
  })

  it('of a file that is here is none: by its hash, or where no hash is known', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const target = world.dir.join('model.gguf')
    const request = { target, source: toSource(origin), signal: world.signal }
    await writeFile(target, content)
    expect(await world.downloader.download({ ...request, sha256: digest })).toMatchObject({ isReused: true })
    await writeFile(target, 'something else')
    expect(await world.downloader.download(request)).toMatchObject({ isReused: true, sizeBytes: 14 })
    expect(origin.requests).toEqual([])
    expect(await world.downloader.download({ ...request, sha256: digest })).toMatchObject({ isReused: false })
    expect(sha256(await readFile(target))).toBe(digest)
  })

  it('links a file of the same content, and fetches it where that file has changed', async () => {
    const known: string[] = []
    await using world = await openDownloads({
      known: {
        find: async () => known,
        list: async () => new Map(),
        add: async ({ path }) => void known.push(path),
        remove: async () => undefined,
      },
    })
    await using origin = await open()
    const request = { source: toSource(origin), sha256: digest, signal: world.signal }
    await world.downloader.download({ ...request, target: world.dir.join('one') })
    expect(await world.downloader.download({ ...request, target: world.dir.join('two') })).toMatchObject({
      isReused: true,
    })
    expect(origin.sentBytes).toBe(content.length)
    expect((await stat(world.dir.join('two'))).ino).toBe((await stat(world.dir.join('one'))).ino)
    known.splice(0, known.length, world.dir.join('gone'), world.dir.join('other'))
    await writeFile(world.dir.join('other'), 'changed')
    expect(await world.downloader.download({ ...request, target: world.dir.join('three') })).toMatchObject({
      isReused: false,
    })
    expect((await readdir(world.dir.path)).sort()).toEqual(['one', 'other', 'three', 'two'])
  })

  it('goes on after a cut, and no byte comes twice', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    origin.faults.push({ cutAfter: MIB }, { cutAfter: MIB }, { cutAfter: 64 * 1024 })
    await world.downloader.download({
      target: world.dir.join('model.gguf'),
      source: toSource(origin),
      sha256: digest,
      signal: world.signal,
    })
    expect(origin.requests.map(({ headers }) => headers.range)).toHaveLength(4)
    expect(origin.sentBytes).toBeLessThanOrEqual(content.length)
    expect(origin.requests[1]?.headers['if-range']).toMatch(/^"/)
  })

  it('begins anew where the origin serves no ranges or has another content by now', async () => {
    for (const hasRanges of [true, false]) {
      await using world = await openDownloads()
      await using origin = await open({ hasRanges })
      const target = world.dir.join('model.gguf')
      const request = { target, source: toSource(origin), signal: world.signal }
      origin.faults.push({ cutAfter: MIB }, { status: 404 })
      await expect(world.downloader.download(request)).rejects.toMatchObject({ code: 'download_refused' })
      expect((await stat(`${target}.partial`)).size).toBe(MIB)
      const changed = noise(2 * MIB, 7)
      origin.files.set('/model.gguf', { content: changed })
      await world.downloader.download(request)
      expect(changed.equals(await readFile(target))).toBe(true)
      expect(await readdir(world.dir.path)).toEqual(['model.gguf'])
    }
  })

  it('is tried three times, and no more while nothing comes', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const request = { target: world.dir.join('x'), source: toSource(origin), signal: world.signal }
    origin.faults.push({ status: 503 }, { status: 429 })
    expect(await world.downloader.download({ ...request, sha256: digest })).toMatchObject({ isReused: false })
    origin.faults.push({ status: 500 }, { status: 500 }, { status: 500 })
    const before = origin.requests.length
    await expect(world.downloader.download({ ...request, target: world.dir.join('y') })).rejects.toMatchObject({
      code: 'download_refused',
      message: expect.stringContaining('status 500'),
    })
    expect(origin.requests.length - before).toBe(3)
    await expect(
      world.downloader.download({ ...request, target: world.dir.join('z'), source: toSource(origin, '/none') }),
    ).rejects.toMatchObject({ message: expect.stringContaining('status 404') })
  })

  it.each([
    ['to the same place and to nothing', [100, 0]],
    ['to the same place', [100]],
    ['less and less far', [500, 400, 300, 200, 100]],
    ['far and near', [600, 100]],
    ['hardly further', [100, 101, 102, 103]],
  ])('that comes %s is not tried for ever', async (_name, sizes) => {
    await using world = await openDownloads()
    await using origin = await open({ hasRanges: false })
    for (let step = 0; step < 20; step += 1) {
      origin.faults.push({ cutAfter: (sizes[step % sizes.length] ?? 0) * 1024 })
    }
    const request = { target: world.dir.join('x'), source: toSource(origin), sha256: digest, signal: world.signal }
    await expect(world.downloader.download(request)).rejects.toMatchObject({ kind: 'upstream_failed' })
    expect(origin.requests.length).toBeLessThanOrEqual(4)
  })

  it('of two servers into one place never leaves a mixture', async () => {
    await using first = await openDownloads()
    await using second = await openDownloads()
    const held = [createDeferred(), createDeferred()]
    let requests = 0
    await using origin = await open({
      handle(_request, response) {
        const { promise } = held[requests] ?? createDeferred()
        requests += 1
        response.writeHead(200, { 'content-length': content.length })
        response.write(content.subarray(0, MIB))
        void promise.then(() => response.end(content.subarray(MIB)))
        return true
      },
    })
    const target = first.dir.join('x')
    const request = { target, source: toSource(origin), sha256: digest, signal: first.signal }
    const seen = [0, 0]
    const downloads = [first, second].map(
      ({ downloader }, index) =>
        async () =>
          await downloader.download({
            ...request,
            onProgress: ({ currentBytes }) => {
              seen[index] = currentBytes
            },
          }),
    )
    const one = downloads[0]?.()
    await expect.poll(() => seen[0]).toBeGreaterThan(0)
    const other = downloads[1]?.()
    await expect.poll(() => seen[1]).toBeGreaterThan(0)
    held[0]?.resolve()
    await expect(one).rejects.toMatchObject({ kind: 'conflict', code: 'file_changed' })
    await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' })
    held[1]?.resolve()
    expect(await other).toMatchObject({ sha256: digest, isReused: false })
    expect(sha256(await readFile(target))).toBe(digest)
  })

  it('of an origin that falls silent is tried again', async () => {
    await using world = await openDownloads({ stallMs: 200 })
    await using origin = await open()
    origin.faults.push({ stallAfter: MIB })
    await world.downloader.download({
      target: world.dir.join('x'),
      source: toSource(origin),
      sha256: digest,
      signal: world.signal,
    })
    expect(origin.requests).toHaveLength(2)
    expect(origin.sentBytes).toBe(content.length)
  })

  it.each([
    ['a page instead of weights', { page: true }, 'answers with a page'],
    ['another length', { length: 5 * MIB, status: undefined }, 'should have 4194304'],
  ] as const)('is refused for %s, and nothing stays', async (_name, fault, message) => {
    await using world = await openDownloads()
    await using origin = await open()
    await writeFile(world.dir.join('model.gguf'), 'the old one')
    origin.faults.push(fault)
    const refused = world.downloader.download({
      target: world.dir.join('model.gguf'),
      source: toSource(origin),
      sha256: digest,
      sizeBytes: content.length,
      signal: world.signal,
    })
    await expect(refused).rejects.toMatchObject({
      code: 'download_corrupt',
      message: expect.stringContaining(message),
    })
    expect(await readdir(world.dir.path)).toEqual(['model.gguf'])
    expect(await readFile(world.dir.join('model.gguf'), 'utf8')).toBe('the old one')
  })

  it('with a wrong hash leaves the old file and nothing else, also where parts were joined', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const target = world.dir.join('model.gguf')
    await writeFile(target, 'the old one')
    const request = { target, source: toSource(origin), sha256: sha256(noise(8)), signal: world.signal }
    await expect(world.downloader.download(request)).rejects.toMatchObject({ code: 'download_corrupt' })
    origin.faults.push({ cutAfter: MIB })
    await expect(world.downloader.download(request)).rejects.toMatchObject({ code: 'download_corrupt' })
    expect(await readdir(world.dir.path)).toEqual(['model.gguf'])
    expect(await readFile(target, 'utf8')).toBe('the old one')
  })

  it('joined of parts of two contents is fetched again in one', async () => {
    await using world = await openDownloads()
    await using origin = await open({ hasEtags: false })
    const request = { target: world.dir.join('x'), source: toSource(origin), sha256: digest, signal: world.signal }
    origin.files.set('/model.gguf', { content: noise(4 * MIB, 9) })
    origin.faults.push({ cutAfter: MIB }, { status: 404 })
    await expect(world.downloader.download(request)).rejects.toMatchObject({ code: 'download_refused' })
    origin.files.set('/model.gguf', { content })
    await world.downloader.download(request)
    expect(sha256(await readFile(world.dir.join('x')))).toBe(digest)
  })

  it.each([
    ['the whole', `bytes 0-${content.length - 1}/${content.length}`],
    ['another length', `bytes ${MIB}-${content.length}/${content.length + 1}`],
    ['a part that ends early', `bytes ${MIB}-${2 * MIB}/${content.length}`],
    ['no whole size', `bytes ${MIB}-${content.length - 1}/*`],
    ['no range at all', 'nonsense'],
    ['an end behind the whole', `bytes ${MIB}-${content.length}/${content.length}`],
  ])('begins anew where the origin answers with another part: %s', async (_name, contentRange) => {
    await using world = await openDownloads()
    await using origin = await open()
    const request = { target: world.dir.join('x'), source: toSource(origin), signal: world.signal }
    origin.faults.push({ cutAfter: MIB }, { contentRange })
    await world.downloader.download(request)
    expect(sha256(await readFile(world.dir.join('x')))).toBe(digest)
    expect(origin.requests.map(({ headers }) => headers.range)).toEqual([undefined, `bytes=${MIB}-`, undefined])
  })

  it('is refused by its check before it takes its place', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const refused = world.downloader.download({
      target: world.dir.join('x'),
      source: toSource(origin),
      signal: world.signal,
      async check(path) {
        expect((await stat(path)).size).toBe(content.length)
        throw new SvcError('invalid_request', 'no model')
      },
    })
    await expect(refused).rejects.toThrow('no model')
    expect(await readdir(world.dir.path)).toEqual([])
  })

  it('that its check refuses is kept where it has its hash, and not fetched again', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const { dir, downloader, signal } = world
    let isRefused = true
    const request = {
      target: dir.join('model.gguf'),
      source: toSource(origin),
      sha256: digest,
      signal,
      async check() {
        if (isRefused) throw new SvcError('unprocessable', 'it is odd', { code: 'not_a_model' })
      },
    }
    for (let time = 0; time < 2; time += 1) {
      await expect(downloader.download(request)).rejects.toMatchObject({ code: 'not_a_model' })
      expect((await readdir(dir.path)).sort()).toEqual(['model.gguf.partial', 'model.gguf.partial.json'])
    }
    isRefused = false
    expect(await downloader.download(request)).toMatchObject({ sha256: digest })
    expect(origin.sentBytes).toBe(content.length)
  })

  it('keeps its data after an abort, or discards it, as its owner says', async () => {
    for (const keeps of [true, false]) {
      await using world = await openDownloads()
      await using origin = await open()
      origin.faults.push({ stallAfter: 2 * MIB })
      const stop = new AbortController()
      const target = world.dir.join('x')
      const running = world.downloader.download({
        target,
        source: toSource(origin),
        sha256: digest,
        keepsData: () => keeps,
        signal: stop.signal,
        onProgress: ({ currentBytes }) => {
          if (currentBytes >= MIB) stop.abort(new Error('stopped'))
        },
      })
      await expect(running).rejects.toThrow('stopped')
      expect((await readdir(world.dir.path)).sort()).toEqual(keeps ? ['x.partial', 'x.partial.json'] : [])
      await world.downloader.download({ target, source: toSource(origin), sha256: digest, signal: world.signal })
      expect(sha256(await readFile(target))).toBe(digest)
    }
  })

  it('waits for another one of the target, and leaves the wait with its signal', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    origin.faults.push({ stallAfter: MIB })
    const stop = new AbortController()
    const request = { target: world.dir.join('x'), source: toSource(origin), sha256: digest }
    const first = world.downloader.download({ ...request, signal: stop.signal })
    await expect.poll(() => origin.requests.length).toBe(1)
    const left = new AbortController()
    const second = world.downloader.download({ ...request, signal: left.signal })
    const third = world.downloader.download({ ...request, signal: world.signal })
    left.abort(new Error('left'))
    await expect(second).rejects.toThrow('left')
    stop.abort(new Error('stopped'))
    await expect(first).rejects.toThrow('stopped')
    expect(await third).toMatchObject({ isReused: false })
    expect(origin.requests).toHaveLength(2)
  })

  it('never writes through a link, and takes no link for the file', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const target = world.dir.join('x')
    await writeFile(world.dir.join('outside'), 'precious')
    await symlink(world.dir.join('outside'), `${target}.partial`)
    const request = { target, source: toSource(origin), sha256: digest, signal: world.signal }
    await expect(world.downloader.download(request)).rejects.toMatchObject({ code: 'file_failed' })
    expect(await readFile(world.dir.join('outside'), 'utf8')).toBe('precious')
  })

  it('begins anew where what is there has no facts, damaged ones, or is too much', async () => {
    for (const [partial, facts] of [
      [content.subarray(0, MIB), undefined],
      [content.subarray(0, MIB), '{"url":'],
      [Buffer.concat([content, content]), JSON.stringify({ url: 'x', sha256: digest, sizeBytes: content.length })],
    ] as const) {
      await using world = await openDownloads()
      await using origin = await open()
      const target = world.dir.join('x')
      await writeFile(`${target}.partial`, partial)
      if (facts !== undefined) await writeFile(`${target}.partial.json`, facts)
      await world.downloader.download({ target, source: toSource(origin), sha256: digest, signal: world.signal })
      expect(origin.requests.map(({ headers }) => headers.range)).toEqual([undefined])
      expect(sha256(await readFile(target))).toBe(digest)
    }
  })

  it('ends at once where everything is there already but its name', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const target = world.dir.join('x')
    await writeFile(`${target}.partial`, content)
    await writeFile(
      `${target}.partial.json`,
      JSON.stringify({ url: toSource(origin).url, sha256: digest, sizeBytes: content.length }),
    )
    await world.downloader.download({ target, source: toSource(origin), sha256: digest, signal: world.signal })
    expect(origin.sentBytes).toBe(0)
    expect(await readdir(world.dir.path)).toEqual(['x'])
  })

  it('goes to no private address that stands in a document', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const source = { url: `${origin.origin}/model.gguf`, trust: 'public' } as const
    const refused = world.downloader.download({ target: world.dir.join('x'), source, signal: world.signal })
    await expect(refused).rejects.toMatchObject({ code: 'url_not_allowed' })
    expect([origin.requests, await readdir(world.dir.path)]).toEqual([[], []])
  })

  // verifies limits:downloads:redirects
  it('sends a token to its own host alone', async () => {
    await using elsewhere = await open()
    await using hub = await startFileOrigin({
      files: {},
      handle(request, response) {
        response.writeHead(302, { location: `${elsewhere.origin}/model.gguf` }).end()
        return request.url !== undefined
      },
    })
    await using world = await openDownloads({}, { allow: { cidrs: ['127.0.0.1'], hosts: [] } })
    await world.downloader.download({
      target: world.dir.join('x'),
      source: { ...toSource(hub), credentials: { origin: hub.origin, authorization: 'Bearer token' } },
      sha256: digest,
      signal: world.signal,
    })
    expect(hub.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token'])
    expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  // verifies limits:downloads:redirects
  it.each([
    [10, undefined],
    [11, 'redirects too often'],
  ])('follows up to ten redirects: %s', async (hops, failure) => {
    await using world = await openDownloads()
    await using origin = await startFileOrigin({
      files: { '/0': content },
      handle({ url = '' }, response) {
        const left = Number(url.slice(1))
        if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
        return left > 0
      },
    })
    const done = world.downloader.download({
      target: world.dir.join('x'),
      source: toSource(origin, `/${hops}`),
      signal: world.signal,
    })
    if (failure === undefined) await done
    else await expect(done).rejects.toThrow(failure)
    expect(origin.requests).toHaveLength(11)
  })

  it.each([
    ['a redirect into this network', 'http://10.0.0.1/x', 'its host has an address of this network (at 10.0.0.1)'],
    ['a redirect to another machine of this name', 'http://127.0.0.2:8000/x', '(at 127.0.0.2:8000)'],
    ['a redirect to a file', 'file:///etc/passwd', 'its address is neither http nor https'],
    ['a redirect to an internal name', 'http://metadata.internal/', 'its host is one of this network'],
    ['a redirect to a name that is not there', 'http://gone.example/', 'could not be resolved (at gone.example)'],
    ['a redirect with a password', 'http://a:secret@h.example/', 'its address holds credentials'],
  ])('that fails names the file, the host and the cause: %s', async (_name, location, cause) => {
    await using world = await openDownloads({}, { allow: { cidrs: ['127.0.0.1'], hosts: [] } })
    await using origin = await startFileOrigin({
      files: {},
      handle: (_request, response) => response.writeHead(302, { location }).end() !== undefined,
    })
    const failure: unknown = await world.downloader
      .download({
        target: world.dir.join('model.gguf'),
        source: { url: `${origin.origin}/m?signature=secret`, trust: 'public' },
        signal: world.signal,
      })
      .catch((error: unknown) => error)
    expect(String(failure)).toContain(`model.gguf from ${origin.origin}/m: `)
    expect(String(failure)).toContain(cause)
    expect(String(failure)).not.toContain('secret')
  })

  it.each([
    ['refuses connections', 'the connection was refused'],
    ['answers with an error', 'status 404'],
    ['closes connections', 'the connection was lost'],
    ['is silent', 'did not answer in time'],
    ['sends nonsense', 'not valid HTTP'],
  ])('of a host that %s names the file, the host and the cause', async (how, cause) => {
    await using world = await openDownloads({ stallMs: 100 })
    await using origin = await startFileOrigin({
      files: {},
      handle(_request, response) {
        if (how === 'closes connections') response.destroy()
        if (how === 'sends nonsense') response.socket?.end('nonsense\r\n\r\n')
        return how !== 'answers with an error'
      },
    })
    if (how === 'refuses connections') await origin.close()
    const { host } = new URL(origin.origin)
    const failed = world.downloader.download({
      target: world.dir.join('model.gguf'),
      source: toSource(origin, '/m'),
      signal: world.signal,
    })
    await expect(failed).rejects.toThrow(new RegExp(`^model\\.gguf from http://${host}/m: .*${cause}`))
  })

  it('tells the size that the origin tells, or nothing', async () => {
    await using world = await openDownloads()
    await using origin = await open()
    const { downloader, signal } = world
    expect(await downloader.measureSize(toSource(origin), { signal })).toBe(content.length)
    expect(await downloader.measureSize(toSource(origin, '/none'), { signal })).toBeUndefined()
  })
})

describe('a download whose process is killed', () => {
  it('at every tenth goes on where it stopped: the origin sends no more than it has', async () => {
    await using world = await openDownloads()
    const big = noise(24 * MIB, 3)
    await using origin = await open({ files: { '/model.gguf': big } })
    const target = world.dir.join('model.gguf')
    const program = new URL('./__fixtures__/download-once.ts', import.meta.url)
    const args = [...sourceArguments(program), target, `${origin.origin}/model.gguf`, sha256(big)]
    const sizeOfPartial = (): Promise<number> =>
      stat(`${target}.partial`).then(
        ({ size }) => size,
        () => 0,
      )
    let kills = 0
    for (let tenth = 1; tenth < 10; tenth += 1) {
      const end = Math.floor((big.length * tenth) / 10)
      // The origin waits there, so that nothing is under way in the system when the kill comes.
      origin.faults.push({ stallAfter: end - (await sizeOfPartial()) })
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      await expect.poll(sizeOfPartial, { interval: 5 }).toBeGreaterThan(end - MIB)
      child.kill('SIGKILL')
      await exited
      kills += 1
      expect((await readdir(world.dir.path)).includes('model.gguf')).toBe(false)
    }
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await collectLines(child.stdout).waitFor('"isReused":false')
    expect(big.equals(await readFile(target))).toBe(true)
    expect(origin.sentBytes).toBeLessThanOrEqual(big.length + kills * MIB)
  })
})
