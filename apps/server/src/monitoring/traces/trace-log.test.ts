import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { LogFields } from '../../ports.ts'
import { createTraceLog, type TraceLog, type TraceLogOptions } from './trace-log.ts'

interface World {
  readonly log: TraceLog
  readonly warnings: LogFields[]
  readonly lost: () => number
}

function open(folder: string, options: Partial<TraceLogOptions> = {}): World {
  const warnings: LogFields[] = []
  let lost = 0
  const ignore = (): void => undefined
  const log = createTraceLog({
    folder,
    maxItems: () => 1024,
    onLost(count) {
      lost += count
    },
    clock: systemClock,
    logger: { debug: ignore, info: ignore, error: ignore, warn: (fields) => void warnings.push(fields) },
    ...options,
  })
  return { log, warnings, lost: () => lost }
}

const head =
  (name: string) =>
  (id: string): string =>
    JSON.stringify({ id, name })

function add(log: TraceLog, name: string, bodies: readonly (Uint8Array | undefined)[] = []): void {
  log.begin(head(`${name}, running`)).finish(head(name), bodies)
}

async function listNames(log: TraceLog, page = { offset: 0, limit: 0 }): Promise<string[]> {
  const { traces } = await log.list(page)
  return traces.map((trace) => (JSON.parse(trace.head) as { name: string }).name)
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index))

describe('the log of traces', () => {
  it('lists the newest first, with those under way in the place of their begin', async () => {
    await using dir = await tempDir()
    const { log } = open(dir.path)
    add(log, 'a')
    const slow = log.begin(head('slow'))
    add(log, 'b')
    expect(await listNames(log)).toEqual(['b', 'slow', 'a'])
    expect(JSON.parse((await log.find('2'))?.head ?? '')).toEqual({ id: '2', name: 'slow' })
    slow.finish(head('slow, done'))
    const dropped = log.begin(head('dropped'))
    expect(await listNames(log)).toEqual(['dropped', 'b', 'slow, done', 'a'])
    dropped.drop()
    expect(await listNames(log)).toEqual(['b', 'slow, done', 'a'])
    await log.close()
  })
  it('pages', async () => {
    await using dir = await tempDir()
    const { log } = open(dir.path)
    for (const name of numbers(5)) add(log, name)
    expect(await listNames(log, { offset: 1, limit: 2 })).toEqual(['3', '2'])
    expect(await listNames(log, { offset: 4, limit: 50 })).toEqual(['0'])
    expect(await log.list({ offset: 9, limit: 50 })).toEqual({ traces: [], total: 5 })
    expect(await log.find('6')).toBeUndefined()
    expect(await log.find('../x')).toBeUndefined()
    await log.close()
  })
  it('is there after a restart, bodies and numbers included', async () => {
    await using dir = await tempDir()
    const first = open(dir.path)
    add(first.log, 'a', [Buffer.from('asked'), undefined])
    add(first.log, 'b', [undefined, Buffer.from('answered')])
    await first.log.close()
    const second = open(dir.path)
    add(second.log, 'c')
    expect(await listNames(second.log)).toEqual(['c', 'b', 'a'])
    const bodies = async (id: string) => (await second.log.find(id))?.readBodies()
    expect(await bodies('1')).toEqual([Buffer.from('asked').toString('base64'), undefined])
    expect(await bodies('2')).toEqual([undefined, Buffer.from('answered').toString('base64')])
    expect(await second.log.find('3')).toBeDefined()
    await second.log.close()
    const [segment = ''] = await readdir(dir.path)
    expect((await stat(join(dir.path, segment))).mode & 0o777).toBe(0o600)
  })
  it('reads bodies before and after they are on disk', async () => {
    await using dir = await tempDir()
    const { log } = open(dir.path)
    add(log, 'a', [Buffer.from('asked')])
    const expected = [Buffer.from('asked').toString('base64')]
    expect(await (await log.find('1'))?.readBodies()).toEqual(expected)
    await log.flush()
    expect(await (await log.find('1'))?.readBodies()).toEqual(expected)
    await log.close()
  })
  it('keeps as many as it may, and takes files of older ones from the disk', async () => {
    await using dir = await tempDir()
    let max = 10
    const { log } = open(dir.path, { maxItems: () => max, segments: { segmentBytes: 1_000_000, segmentLines: 4 } })
    for (const name of numbers(50)) {
      add(log, name)
      await log.flush()
    }
    expect(await listNames(log)).toEqual(numbers(50).slice(40).reverse())
    expect((await readdir(dir.path)).length).toBeLessThanOrEqual(4)
    max = 2
    expect(await listNames(log)).toEqual(['49', '48'])
    await log.flush()
    expect((await readdir(dir.path)).length).toBeLessThanOrEqual(2)
    await log.close()
    const again = open(dir.path, { maxItems: () => max })
    expect(await listNames(again.log)).toEqual(['49', '48'])
    await again.log.close()
  })
  it('is bounded in bytes on disk', async () => {
    await using dir = await tempDir()
    const { log } = open(dir.path, { maxBytes: 20_000, segments: { segmentBytes: 4_000, segmentLines: 100 } })
    for (const name of numbers(60)) {
      add(log, name, [Buffer.alloc(900, 1)])
      await log.flush()
    }
    const sizes = await Promise.all(
      (await readdir(dir.path)).map(async (file) => (await stat(join(dir.path, file))).size),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(24_000)
    const listed = await listNames(log)
    expect(listed[0]).toBe('59')
    expect(listed.length).toBeLessThan(20)
    await log.close()
  })
  it('passes over damaged lines and names their file', async () => {
    await using dir = await tempDir()
    const first = open(dir.path)
    for (const name of numbers(4)) add(first.log, name)
    await first.log.close()
    const [file = ''] = await readdir(dir.path)
    const lines = (await readFile(join(dir.path, file), 'utf8')).split('\n')
    lines[1] = (lines[1] ?? '').replace('"1"', '"9"')
    await writeFile(join(dir.path, file), `${lines.slice(0, 3).join('\n')}\n${(lines[3] ?? '').slice(0, 20)}`)
    await writeFile(join(dir.path, '000000000007.jsonl'), Buffer.from([0xff, 0x00, 0x0a, 0x0a]))
    const second = open(dir.path)
    expect(await listNames(second.log)).toEqual(['2', '0'])
    expect(second.warnings).toEqual([
      { file, lines: 2 },
      { file: '000000000007.jsonl', lines: 2 },
    ])
    add(second.log, 'next')
    expect(await listNames(second.log)).toEqual(['next', '2', '0'])
    await second.log.close()
  })
  it('lists what the disk refuses, and counts it', async () => {
    await using dir = await tempDir()
    const folder = dir.join('traces')
    await writeFile(folder, 'a file where the folder should be')
    const { log, warnings, lost } = open(folder)
    add(log, 'a', [Buffer.from('body')])
    add(log, 'b')
    await log.flush()
    expect(await listNames(log)).toEqual(['b', 'a'])
    expect(lost()).toBe(2)
    expect(warnings.length).toBeGreaterThan(0)
    await rm(folder)
    add(log, 'c', [Buffer.from('kept')])
    await log.close()
    const again = open(folder)
    expect(await listNames(again.log)).toEqual(['c'])
    await again.log.close()
  })
  it('forgets everything when it is cleared, but what is under way', async () => {
    await using dir = await tempDir()
    const { log } = open(dir.path)
    add(log, 'a')
    await log.flush()
    add(log, 'b')
    const slow = log.begin(head('slow'))
    await log.clear()
    expect(await listNames(log)).toEqual(['slow'])
    slow.finish(head('slow, done'))
    await log.close()
    const again = open(dir.path)
    expect(await listNames(again.log)).toEqual(['slow, done'])
    await again.log.close()
  })
  it('gives up bodies above what may wait for the disk, never the heads', async () => {
    await using dir = await tempDir()
    const { log, lost } = open(dir.join('t'))
    for (const name of numbers(10)) add(log, name, [Buffer.alloc(2 * 1024 * 1024)])
    expect(await listNames(log)).toHaveLength(10)
    expect(lost()).toBeGreaterThan(0)
    await log.close()
  })
})
