import { once } from 'node:events'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listenOnFreePort } from './http-server.ts'
import { findBarrier, findFreePort, startPostgres } from './postgres.ts'
import { tempDir } from './temp-dir.ts'

afterEach(() => vi.unstubAllEnvs())

/** First byte of a PostgreSQL server's answer to a request for TLS: `N` without TLS. */
async function greet(url: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(Buffer.of(0, 0, 0, 8, 4, 210, 22, 47))
  const [bytes] = await once(socket, 'data')
  socket.destroy()
  return String(bytes)
}

describe('startPostgres', () => {
  it('starts its own server, gives empty databases and leaves nothing behind', async (context) => {
    await using dir = await tempDir()
    await chmod(dir.path, 0o755)
    vi.stubEnv('TMPDIR', dir.path)
    await using postgres = await startPostgres()
    if (!postgres.available) return context.skip(postgres.reason)
    expect(await greet(postgres.url)).toBe('N')
    const databases = [postgres.url, await postgres.createDatabase(), await postgres.createDatabase()]
    expect(new Set(databases).size).toBe(3)
    expect(await postgres.countTransactions(databases[1] ?? '')).toBeGreaterThanOrEqual(0)
    await postgres.close()
    await expect(greet(postgres.url)).rejects.toThrow('ECONNREFUSED')
    expect(await readdir(dir.path)).toEqual([])
  })

  it('reports why it cannot start, and leaves nothing behind', async () => {
    await using dir = await tempDir()
    await chmod(dir.path, 0o755)
    vi.stubEnv('TMPDIR', dir.path)
    // The programs of the server find this invalid library first.
    vi.stubEnv('LD_LIBRARY_PATH', dir.path)
    await writeFile(dir.join('libpq.so.5'), '')
    const postgres = await startPostgres()
    await rm(dir.join('libpq.so.5'))
    expect(postgres.available).toBe(false)
    expect(postgres.available ? '' : postgres.reason).not.toBe('')
    expect(await readdir(dir.path)).toEqual([])
  })

  it('tries another port when the first one was taken meanwhile', async (context) => {
    const other = createServer()
    const taken = await listenOnFreePort(other)
    const ports = [taken, await findFreePort()]
    await using postgres = await startPostgres({ findPort: async () => ports.shift() ?? 0 })
    await new Promise((resolve) => other.close(resolve))
    if (!postgres.available && ports.length === 1) return context.skip(postgres.reason)
    expect(ports).toEqual([])
    expect(postgres.available && (await greet(postgres.url))).toBe('N')
  })
})

describe('findBarrier', () => {
  it('is the nearest folder that only its owner may enter', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('a/b/c'), { recursive: true })
    for (const path of ['.', 'a', 'a/b', 'a/b/c']) await chmod(dir.join(path), 0o755)
    expect(await findBarrier(dir.join('a/b/c/file'))).toBeUndefined()
    await chmod(dir.path, 0o700)
    expect(await findBarrier(dir.join('a/b/c/file'))).toBe(dir.path)
    await chmod(dir.join('a/b'), 0o754)
    expect(await findBarrier(dir.join('a/b/c/file'))).toBe(dir.join('a/b'))
  })
})

describe.skipIf(process.platform !== 'linux')('outages', () => {
  it('kills a server, freezes it, and brings it back with its databases', async (context) => {
    await using postgres = await startPostgres()
    if (!postgres.available) return context.skip(postgres.reason)
    await postgres.kill()
    await expect(greet(postgres.url)).rejects.toThrow('ECONNREFUSED')
    await postgres.resume()
    postgres.freeze()
    const greeting = greet(postgres.url)
    await postgres.resume()
    expect(await greeting).toBe('N')
    expect(await postgres.createDatabase()).toContain('test_1')
  })
})
