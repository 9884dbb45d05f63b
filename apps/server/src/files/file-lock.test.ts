import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { collectLines, createFakeClock, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { StartRefused } from '../config/start-refused.ts'
import { lockDataPath, lockFile } from './file-lock.ts'
import { readOwnIdentity } from './process-identity.ts'

const HOLDER = fileURLToPath(new URL('./__fixtures__/hold-lock.ts', import.meta.url))

async function refusal(promise: Promise<unknown>): Promise<StartRefused> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof StartRefused)) throw new Error(`not refused: ${String(error)}`)
  return error
}

async function startHolder(dataPath: string): Promise<{ readonly child: ChildProcess; readonly says: string }> {
  const child = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', HOLDER, dataPath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, says: await collectLines(child.stdout).waitFor(/./) }
}

describe('the lock of a data path', () => {
  it('is one file, which is removed with it', async () => {
    await using dir = await tempDir()
    const lock = await lockDataPath(dir.join('data'), { clock: createFakeClock() })
    expect(await readdir(dir.join('data'))).toEqual(['svc.lock'])
    expect(JSON.parse(await readFile(dir.join('data/svc.lock'), 'utf8'))).toMatchObject({ pid: process.pid })
    await lock.close()
    await lock.close()
    expect(await readdir(dir.join('data'))).toEqual([])
  })
  it('is refused a second time with the path and the holder, exit code 75', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    await using _lock = await lockDataPath(dir.path, { clock })
    const error = await refusal(lockDataPath(dir.path, { clock }))
    expect(error.exitCode).toBe(75)
    expect(error.message).toContain(`the data path ${dir.path} is in use by another server (process ${process.pid} on `)
    expect(await readdir(dir.path)).toEqual(['svc.lock'])
  })
  it('is free again after it was closed', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    await (await lockDataPath(dir.path, { clock })).close()
    await using _again = await lockDataPath(dir.path, { clock })
  })
  it('is held by a living process and taken over at once from a killed one', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const { child, says } = await startHolder(dir.path)
    expect(says).toBe('held')
    const error = await refusal(lockDataPath(dir.path, { clock }))
    expect(error.message).toContain(`(process ${child.pid} on `)
    child.kill('SIGKILL')
    await once(child, 'exit')
    // the clock stands still, so no wait can pass
    await using _lock = await lockDataPath(dir.path, { clock })
    const second = await startHolder(dir.path)
    expect(second.says).toContain(`is in use by another server (process ${process.pid} on `)
  })
  it('is taken over when another process has the number of its holder', async () => {
    await using dir = await tempDir()
    const identity = await readOwnIdentity()
    await writeFile(dir.join('svc.lock'), JSON.stringify({ ...identity, start: 'earlier', token: 't' }))
    await using _lock = await lockDataPath(dir.path, { clock: createFakeClock() })
  })
  it('is refused where it cannot be made, exit code 78', async () => {
    await using dir = await tempDir()
    await writeFile(dir.join('data'), '')
    const error = await refusal(lockDataPath(dir.join('data'), { clock: createFakeClock() }))
    expect(error.exitCode).toBe(78)
    expect(error.message).toContain(dir.join('data'))
  })
  it('goes to one of many that want it at the same time', async () => {
    await using dir = await tempDir()
    const identity = await readOwnIdentity()
    await writeFile(dir.join('svc.lock'), JSON.stringify({ ...identity, start: 'earlier', token: 't' }))
    const clock = createFakeClock()
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataPath(dir.path, { clock })))
    const locks = results.filter((result) => result.status === 'fulfilled')
    expect(locks).toHaveLength(1)
    for (const lock of locks) await lock.value.close()
    expect(await readdir(dir.path)).toEqual([])
  })
})

describe('a holder of another container', () => {
  const foreign = { pid: 1, start: '1', boot: 'elsewhere', namespace: 'pid:[1]', host: 'other', token: 't' }

  it('is believed while it touches its lock', async () => {
    await using dir = await tempDir()
    const [theirs, ours] = [createFakeClock(), createFakeClock()]
    await using _lock = await lockFile(dir.join('x'), { what: 'x', clock: theirs })
    const { token } = JSON.parse(await readFile(dir.join('x'), 'utf8')) as { token: string }
    await writeFile(dir.join('x'), JSON.stringify({ ...foreign, token }))
    const second = refusal(lockFile(dir.join('x'), { what: 'the thing', clock: ours }))
    await ours.waitForSleepers(1)
    const before = (await stat(dir.join('x'))).mtimeMs
    await theirs.advance(1000)
    await theirs.waitForSleepers(1)
    await expect.poll(async () => (await stat(dir.join('x'))).mtimeMs).not.toBe(before)
    await ours.advance(2500)
    expect((await second).message).toContain('the thing is in use by another server (process 1 on other)')
  })
  it('is gone when it does not', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    await writeFile(dir.join('x'), JSON.stringify(foreign))
    const lock = lockFile(dir.join('x'), { what: 'x', clock })
    await clock.waitForSleepers(1)
    await clock.advance(2500)
    await using _lock = await lock
    expect(JSON.parse(await readFile(dir.join('x'), 'utf8'))).toMatchObject({ pid: process.pid })
  })
  it('that left a file without sense is gone too', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    await writeFile(dir.join('x'), '{"pid":')
    const lock = lockFile(dir.join('x'), { what: 'x', clock })
    await clock.waitForSleepers(1)
    await clock.advance(2500)
    await using _lock = await lock
  })
})
