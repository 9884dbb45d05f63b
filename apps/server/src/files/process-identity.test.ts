import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import {
  type ProcessIdentity,
  parseProcStat,
  readOwnIdentity,
  readProcessStart,
  readState,
} from './process-identity.ts'

const own: ProcessIdentity = { pid: 10, start: '1', boot: 'b', namespace: 'n', host: 'h' }

describe('the start of a process', () => {
  it('is read past a name with spaces and parentheses', () => {
    const fields = ['S', ...Array.from({ length: 18 }, (_, index) => String(index)), '4711', '0']
    expect(parseProcStat(`12 (a ) (b) ${fields.join(' ')}`)).toEqual({ state: 'S', start: '4711' })
    expect(parseProcStat('')).toBeUndefined()
    expect(parseProcStat('12 (a) S 1')).toBeUndefined()
  })
  it('stays the same while it runs and is gone with it', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    await once(child, 'spawn')
    const pid = child.pid ?? 0
    const start = await readProcessStart(pid)
    expect(start).toBeDefined()
    expect(await readProcessStart(pid)).toBe(start)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await readProcessStart(pid)).toBeUndefined()
  })
})

describe('the state of another process', () => {
  it('is running for this one', async () => {
    const identity = await readOwnIdentity()
    expect(identity.pid).toBe(process.pid)
    expect(await readState(identity, identity)).toBe('running')
  })
  it('is gone when its number now belongs to another', async () => {
    const identity = await readOwnIdentity()
    expect(await readState({ ...identity, start: 'earlier' }, identity)).toBe('gone')
  })
  it.each([
    ['another boot', { boot: 'c' }],
    ['another container', { namespace: 'm' }],
  ])('is unknown for %s', async (_what, change) => {
    expect(await readState({ ...own, ...change }, own)).toBe('unknown')
  })
  it('is unknown for another host where boots have no id', async () => {
    const here = { ...own, boot: undefined, namespace: undefined }
    expect(await readState({ ...here, host: 'g' }, here)).toBe('unknown')
  })
})
