import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { modelRoutes } from '../../src/api/formats/openai/models.ts'
import { loadConfig } from '../../src/config/load.ts'
import { StartRefused } from '../../src/config/start-refused.ts'
import { HttpReply } from '../../src/http/http-reply.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startTestApp } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const GZIP = { headers: { 'accept-encoding': 'gzip' } }
const MEBIBYTE = 1024 * 1024

const readCoding = async (server: Pick<TestServer, 'call'>, path: string): Promise<string | undefined> =>
  (await server.call(path, GZIP)).headers['content-encoding']

/** Gives the load request that the mock got. */
async function loadedWith(flags: readonly string[]): Promise<unknown> {
  await using server = await startTestServer({ flags })
  await server.model('m')
  expect((await server.chat('m')).json()).toMatchObject({ object: 'chat.completion' })
  return server.records('m').find((record) => record.rpc === 'LoadModel' && record.event === 'start')?.request
}

describe('compression', () => {
  verifies('limits:compression:default', 'is on by default', async () => {
    await using server = await startTestServer()
    expect(await readCoding(server, '/swagger/doc.json')).toBe('gzip')
    expect(await readCoding(server, '/version')).toBeUndefined()
  })

  verifies('limits:compression:min-length', 'begins at 1024 bytes, or where the flag says', async () => {
    const text = (size: number) => () => new HttpReply('a'.repeat(size), { headers: { 'content-type': 'text/plain' } })
    const common = { method: 'GET', access: 'any', family: 'compatible', tag: 't', summary: 't' } as const
    await using app = await startTestApp([
      { ...common, path: '/below', handler: text(1023) },
      { ...common, path: '/at', handler: text(1024) },
    ])
    expect([await readCoding(app, '/below'), await readCoding(app, '/at')]).toEqual([undefined, 'gzip'])
    expect(loadConfig({ argv: [], env: {}, cwd: '/' })).toMatchObject({
      config: { httpCompressionMinLengthBytes: 1024 },
    })
    await using lower = await startTestServer({ flags: ['--http-compression-min-length=10'] })
    expect(await readCoding(lower, '/version')).toBe('gzip')
  })

  verifies('limits:compression:off', 'can be switched off', async () => {
    await using server = await startTestServer({ flags: ['--disable-http-compression'] })
    expect(await readCoding(server, '/swagger/doc.json')).toBeUndefined()
  })
})

describe('request bodies', () => {
  verifies('limits:upload:default', 'may be as large as the limit, to the byte', async () => {
    await using server = await startTestServer({ flags: ['--upload-limit=1'] })
    const send = async (size: number): Promise<number> =>
      (await server.call('/v1/chat/completions', { method: 'POST', body: Buffer.alloc(size, 0x20) })).status
    expect(await send(MEBIBYTE)).toBe(400)
    expect(await send(MEBIBYTE + 1)).toBe(413)
  })
})

describe('flags', () => {
  verifies('flags:threads:both-forms', 'threads go to models that name none', async () => {
    expect(await loadedWith(['-t', '3'])).toMatchObject({ Threads: 3 })
    expect(await loadedWith(['--threads=5'])).toMatchObject({ Threads: 5 })
  })

  verifies('flags:f16:accepted', 'half precision goes to backends', async () => {
    expect(await loadedWith(['--f16'])).toMatchObject({ F16Memory: true })
  })

  verifies('limits:context-size:default', 'the context size goes to models that name none, -1 by default', async () => {
    expect(loadConfig({ argv: [], env: {}, cwd: '/' })).toMatchObject({ config: { contextSize: -1 } })
    expect(await loadedWith(['--context-size=2048'])).toMatchObject({ ContextSize: 2048 })
  })

  verifies('flags:log-level:values', 'the log level is one of five', () => {
    const load = (level: string) => loadConfig({ argv: ['--log-level', level], env: {}, cwd: '/' })
    for (const logLevel of ['error', 'warn', 'info', 'debug', 'trace']) {
      expect(load(logLevel)).toMatchObject({ kind: 'run', config: { logLevel } })
    }
    expect(load('loud')).toMatchObject({ kind: 'usage-error' })
  })

  verifies('flags:machine-tag:header', 'the machine tag is on every reply', async () => {
    await using server = await startTestServer({ flags: ['--machine-tag=rack-7'] })
    for (const path of ['/version', '/nothing']) {
      expect((await server.call(path)).headers['machine-tag'], path).toBe('rack-7')
    }
  })

  verifies('errors:opaque:empty-body', 'opaque errors are a status alone, by flag and by variable', async () => {
    const ways = [{ flags: ['--opaque-errors'] }, { env: { SVC_OPAQUE_ERRORS: 'true' } }]
    for (const way of ways) {
      await using server = await startTestServer(way)
      const unmatched = await server.call('/nothing')
      const unparsable = await server.call('/v1/chat/completions', { method: 'POST', body: '{' })
      expect([unmatched.status, unmatched.text, unparsable.status, unparsable.text]).toEqual([404, '', 400, ''])
    }
  })

  verifies('flags:data-path:one-server', 'a second server on one data path ends with a sentence', async () => {
    await using first = await startTestServer()
    const second = startTestServer({ flags: [`--data-path=${first.folder}/data`] })
    await expect(second).rejects.toThrow(StartRefused)
    await expect(second).rejects.toThrow(`${first.folder}/data`)
  })

  verifies(['auth-config:database:default', 'flags:data-path:used'], 'the database lies in the data path', async () => {
    await using server = await startTestServer()
    expect((await stat(join(server.folder, 'data', 'database.db'))).size).toBeGreaterThan(0)
  })

  verifies('auth:database:no-start-without', 'no start without the database', async () => {
    const start = startTestServer({ flags: ['--auth-database-url=/dev/null/x.db'] })
    await expect(start).rejects.toThrow(StartRefused)
    await expect(start).rejects.toThrow('/dev/null/x.db')
  })

  verifies('auth:public-bind:refused', 'no public address without a key where that is asked for', async () => {
    const flags = ['--require-auth-on-public-bind', '--address=models.example:0']
    await expect(startTestServer({ flags })).rejects.toThrow(/neither keys nor accounts are in use/)
  })

  verifies('auth:p2p:refused', 'no API for members of a network without a key', async () => {
    await expect(startTestServer({ flags: ['--p2p', '--federated'] })).rejects.toThrow(StartRefused)
  })

  verifies('limits:profiling:off', 'profiling is off unless it is asked for', async () => {
    await using server = await startTestServer()
    expect(server.logLines.join('')).not.toContain('diagnostics')
    expect(loadConfig({ argv: [], env: {}, cwd: '/' })).toMatchObject({ config: { pprof: false } })
  })
})

describe('a list of models that cannot be made', () => {
  verifies('errors:status:list-models', 'is 500 on both paths', async () => {
    const list = (): never => {
      throw new Error('disk gone')
    }
    await using app = await startTestApp(modelRoutes({ list }))
    for (const path of ['/v1/models', '/models']) expect((await app.call(path)).status, path).toBe(500)
  })
})
