import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { LogLine } from '../../backends/log-ring.ts'
import { systemClock } from '../../clock.ts'
import { openFileServer, type WorkerLogs } from './file-server.ts'

const TOKEN = 'secret'
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

describe('the HTTP server of a worker', async () => {
  const dir = await tempDir('svc-t-')
  const folders = { models: join(dir.path, 'm'), data: join(dir.path, 'd'), staging: join(dir.path, 's') }
  const listeners = new Set<(line: LogLine) => void>()
  const first: LogLine = { timestamp: 0, stream: 'stderr', text: 'loading' }
  const logs: WorkerLogs = {
    models: () => ['a/b'],
    read: (model) => (model === 'a/b' ? [first] : undefined),
    follow(model, listener) {
      if (model !== 'a/b') return undefined
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const state = { isReady: true }
  const options = { host: '127.0.0.1', token: TOKEN, folders, logs, isReady: () => state.isReady, logger }
  const server = await openFileServer({ ...options, port: 0, clock: systemClock })
  afterAll(async () => {
    await server.close()
    await dir.close()
  })

  interface Answer {
    readonly status: number
    readonly headers: Readonly<Record<string, string | string[] | undefined>>
    readonly text: string
  }

  /** Sends a path as it is: `fetch` would tidy it up. */
  function call(method: string, path: string, body?: string | Uint8Array, headers: Record<string, string> = {}) {
    return new Promise<Answer>((resolve, reject) => {
      const sent = httpRequest(
        {
          host: '127.0.0.1',
          port: server.port,
          method,
          path,
          headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        },
        (incoming) => {
          const parts: Buffer[] = []
          incoming.on('data', (part: Buffer) => parts.push(part))
          incoming.on('error', reject)
          incoming.on('end', () => {
            const { statusCode: status = 0, headers: given } = incoming
            resolve({ status, headers: given, text: Buffer.concat(parts).toString() })
          })
        },
      )
      sent.on('error', reject).end(body)
    })
  }

  const piece = (key: string, range: string, body: string, hash?: string) =>
    call('PUT', `/v1/files/${key}`, body, {
      'content-range': `bytes ${range}`,
      ...(hash === undefined ? {} : { 'x-content-sha256': hash }),
    })

  it('takes a file whole, and tells of it', async () => {
    const put = await call('PUT', '/v1/files/models/m%230/sub/%C3%BC%20x', 'content', {
      'x-content-sha256': sha256('content'),
    })
    const path = join(folders.models, 'm#0', 'sub', 'ü x')
    expect([put.status, JSON.parse(put.text)]).toEqual([200, { local_path: path }])
    const head = await call('HEAD', '/v1/files/models/m%230/sub/%C3%BC%20x')
    expect(head).toMatchObject({ status: 200, headers: { 'x-file-size': '7', 'x-content-sha256': sha256('content') } })
    expect(Buffer.from(String(head.headers['x-local-path']), 'latin1').toString()).toBe(path)
    expect((await call('GET', '/v1/files/models/m%230/sub/%C3%BC%20x')).text).toBe('content')
    const list = await call('GET', '/v1/files-list/models/m%230')
    expect(JSON.parse(list.text)).toEqual({ files: ['sub/ü x', 'sub/ü x.sha256'] })
    // A file that changed behind the server's back has the hash of its new content.
    await writeFile(path, 'other')
    expect((await call('HEAD', '/v1/files/models/m%230/sub/%C3%BC%20x')).headers['x-content-sha256']).toBe(
      sha256('other'),
    )
  })

  it('takes a file in pieces, and keeps the one before until the new one is whole', async () => {
    const hash = sha256('abcdef')
    await call('PUT', '/v1/files/data/f', 'before')
    expect(await piece('data/f', '0-2/6', 'abc', hash)).toMatchObject({
      status: 308,
      headers: { range: 'bytes=0-2', 'x-file-size': '3' },
    })
    expect((await call('HEAD', '/v1/files/data/f')).headers).toMatchObject({
      'x-target-sha256': hash,
      'x-file-size': '3',
    })
    expect((await call('GET', '/v1/files/data/f')).text).toBe('before')
    expect(await piece('data/f', '2-5/6', 'cdef', hash)).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */6', 'x-file-size': '3' },
    })
    expect((await piece('data/f', '3-5/6', 'def', hash)).status).toBe(200)
    expect((await call('GET', '/v1/files/data/f', undefined, { range: 'bytes=2-3' })).text).toBe('cd')
    const since = { range: 'bytes=2-3', 'if-range': '"another"' }
    expect(await call('GET', '/v1/files/data/f', undefined, since)).toMatchObject({ status: 200, text: 'abcdef' })
    expect(await readdir(folders.data)).toEqual(['f', 'f.sha256'])
    // The same once more, as after a lost reply.
    expect((await piece('data/f', '0-5/6', 'abcdef', hash)).status).toBe(200)
  })

  it('begins again for another file, and refuses other bytes', async () => {
    await piece('data/g', '0-1/4', 'ab', sha256('abcd'))
    expect((await piece('data/g', '2-3/4', 'yz', sha256('wxyz'))).status).toBe(409)
    expect((await call('HEAD', '/v1/files/data/g')).status).toBe(404)
    expect((await piece('data/g', '0-3/4', 'abcd', sha256('wxyz'))).status).toBe(400)
    expect((await call('HEAD', '/v1/files/data/g')).status).toBe(404)
    expect((await call('PUT', '/v1/files/data/g', 'ab', { 'x-content-sha256': sha256('x') })).status).toBe(400)
    expect((await readdir(folders.data)).filter((name) => name.includes('g'))).toEqual([])
  })

  it('keeps what came before a cut connection', async () => {
    const key = '/v1/files/data/cut'
    const socket = connect(server.port, '127.0.0.1')
    const head = `authorization: Bearer ${TOKEN}\r\ncontent-length: 6\r\ncontent-range: bytes 0-5/6\r\n`
    socket.write(`PUT ${key} HTTP/1.1\r\nhost: x\r\n${head}x-content-sha256: ${sha256('abcdef')}\r\n\r\nabcd`)
    await eventually(async () => expect((await call('HEAD', key)).headers['x-file-size']).toBe('4'))
    socket.destroy()
    await eventually(async () => expect((await piece('data/cut', '4-5/6', 'ef', sha256('abcdef'))).status).toBe(200))
    expect(await readFile(join(folders.data, 'cut'), 'utf8')).toBe('abcdef')
  })

  it.each<[string, number]>([
    ['..%2f..%2fetc/passwd', 400],
    ['models/../../x', 400],
    ['models/%2e%2e/x', 400],
    ['/etc/passwd', 400],
    ['models//etc/passwd', 400],
    ['a%00b', 400],
    ['a%0ab', 400],
    ['%ff', 400],
    ['a%5c..%5cb', 400],
    ['', 400],
    ['x'.repeat(240), 400],
    ['x/'.repeat(3000), 400],
    ['link/secret', 400],
    ['..%252fx', 404],
    ['missing', 404],
  ])('answers the key %.40s', async (key, status) => {
    await mkdir(join(dir.path, 'outside'), { recursive: true })
    await writeFile(join(dir.path, 'outside', 'secret'), 'secret')
    await symlink(join(dir.path, 'outside'), join(folders.staging, 'link')).catch(() => undefined)
    expect((await call('GET', `/v1/files/${key}`)).status).toBe(status)
    if (status === 400) expect((await call('PUT', `/v1/files/${key}`, 'x')).status).toBe(400)
    expect(await readdir(join(dir.path, 'outside'))).toEqual(['secret'])
  })

  it.each<[string, string, Record<string, string>, number]>([
    ['a range that is none', 'x', { 'content-range': 'bytes x-1/2' }, 400],
    ['a range outside of the file', 'x', { 'content-range': 'bytes 3-3/3' }, 400],
    ['a body that is not its range', 'x', { 'content-range': 'bytes 0-1/3' }, 400],
    ['a hash that is none', 'x', { 'x-content-sha256': 'abc' }, 400],
    ['a file above 50 GiB', 'x', { 'content-range': 'bytes 0-0/60000000000' }, 413],
    ['a wrong token', 'x'.repeat(3_000_000), { authorization: 'Bearer wrong' }, 401],
    ['no token', 'x', { authorization: '' }, 401],
  ])('refuses %s', async (_, body, headers, status) => {
    expect((await call('PUT', '/v1/files/data/bad', body, headers)).status).toBe(status)
    expect(await readdir(folders.data)).not.toContain('bad')
  })

  it('has files for the outputs of requests', async () => {
    const { text } = await call('POST', '/v1/files/temp')
    const { local_path: path } = JSON.parse(text) as { local_path: string }
    const name = path.slice(folders.staging.length + 1)
    await writeFile(path, 'made')
    expect((await call('GET', `/v1/files/${name}`)).text).toBe('made')
    expect((await call('DELETE', `/v1/files/${name}`)).status).toBe(204)
    expect((await call('GET', `/v1/files/${name}`)).status).toBe(404)
    expect((await call('DELETE', '/v1/files/data/f')).status).toBe(400)
    // An upload of the same key ends first, and nothing of it stays.
    const late = httpRequest({
      ...{ host: '127.0.0.1', port: server.port, method: 'PUT', path: `/v1/files/${name}` },
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    const stored = once(late, 'response')
    late.write('half ')
    await eventually(async () => expect((await readdir(folders.staging)).join()).toContain('.tmp'))
    const removed = call('DELETE', `/v1/files/${name}`)
    late.end('whole')
    const [{ statusCode }] = await stored
    expect([statusCode, (await removed).status]).toEqual([200, 204])
    expect((await call('HEAD', `/v1/files/${name}`)).status).toBe(404)
  })

  it('answers probes without a token', async () => {
    const open = { authorization: '' }
    expect(await call('GET', '/healthz', undefined, open)).toMatchObject({ status: 200, text: 'ok\n' })
    expect((await call('GET', '/readyz', undefined, open)).status).toBe(200)
    state.isReady = false
    expect((await call('GET', '/readyz', undefined, open)).status).toBe(503)
    expect((await call('GET', '/v1/backend-logs', undefined, open)).status).toBe(401)
  })

  it('shows output of backends, and sends it as it comes', async () => {
    const line = { timestamp: '1970-01-01T00:00:00.000Z', stream: 'stderr', text: 'loading' }
    expect(JSON.parse((await call('GET', '/v1/backend-logs')).text)).toEqual(['a/b'])
    expect(JSON.parse((await call('GET', '/v1/backend-logs/a%2Fb')).text)).toEqual([line])
    expect(JSON.parse((await call('GET', '/v1/backend-logs/other')).text)).toEqual([])
    const headers = { authorization: `Bearer ${TOKEN}` }
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/backend-logs/a%2Fb/ws`, { headers })
    const messages: unknown[] = []
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8'))))
    await eventually(() => expect(messages).toEqual([{ type: 'initial', lines: [line] }]))
    for (const listener of listeners) listener({ ...first, text: 'ready' })
    await eventually(() => expect(messages.at(-1)).toEqual({ type: 'line', line: { ...line, text: 'ready' } }))
    socket.terminate()
    await eventually(() => expect(listeners.size).toBe(0))
    const refused = new WebSocket(`ws://127.0.0.1:${server.port}/v1/backend-logs/a%2Fb/ws`)
    await expect(new Promise((_, reject) => refused.on('error', reject))).rejects.toThrow('401')
  })

  it('takes no file directly in the models folder, and none of a model where the folder is shared', async () => {
    expect(await call('PUT', '/v1/files/models/evil.yaml', 'name: evil')).toMatchObject({ status: 400 })
    expect(await readdir(folders.models)).not.toContain('evil.yaml')
    const shared = await openFileServer({ ...options, port: 0, isShared: true, clock: systemClock })
    try {
      const put = (key: string) =>
        fetch(`http://127.0.0.1:${shared.port}/v1/files/${key}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${TOKEN}` },
          body: 'a',
        })
      expect(await put('models/m%230/a.bin')).toMatchObject({ status: 400 })
      expect(await put('request/a.wav')).toMatchObject({ status: 200 })
    } finally {
      await shared.close()
    }
  })

  it('refuses to start where it cannot listen, and where models would be swept', async () => {
    const again = openFileServer({ ...options, port: server.port, clock: systemClock })
    await expect(again).rejects.toMatchObject({ name: 'StartRefused', exitCode: 75 })
    const inside = { ...folders, models: join(folders.staging, 'models') }
    const swept = openFileServer({ ...options, port: 0, folders: inside, clock: systemClock })
    await expect(swept).rejects.toMatchObject({ name: 'StartRefused', exitCode: 78 })
    const programs = join(folders.models, 'backends')
    await mkdir(programs, { recursive: true })
    await symlink(programs, join(dir.path, 'programs'))
    for (const kept of [folders.models, programs, join(dir.path, 'programs')]) {
      const open = openFileServer({ ...options, port: 0, kept: [dir.path, kept], clock: systemClock })
      await expect(open).rejects.toMatchObject({
        name: 'StartRefused',
        exitCode: 78,
        message: `the folder ${kept} may not be in the folder ${folders.models}, which front ends write`,
      })
    }
    await rm(programs, { recursive: true })
  })
})
