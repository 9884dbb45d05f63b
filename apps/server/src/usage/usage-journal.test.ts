import { appendFile, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import type { UsageRecord } from '@svc/auth/ports'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { Logger } from '../ports.ts'
import { createUsageJournal } from './usage-journal.ts'

const record = (id: string): UsageRecord => ({
  id,
  userId: 'ada',
  userName: 'Ada\n"',
  source: 'apikey',
  apiKeyId: 'k',
  apiKeyName: '\u{1f600}',
  model: 'm',
  endpoint: '/',
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  durationMs: 4,
  createdAt: 5,
})

const numbered = (count: number): readonly UsageRecord[] =>
  Array.from({ length: count }, (_, index) => record(`r${index}`))

function createLog() {
  const messages: string[] = []
  const note = (_: unknown, message: string): void => void messages.push(message)
  const logger: Logger = { debug() {}, info() {}, warn: note, error: note }
  return { messages, logger }
}

async function startWorld(maxRecords?: number) {
  const folder = await tempDir()
  const path = folder.join('usage-journal.jsonl')
  const { messages, logger } = createLog()
  const open = () => createUsageJournal({ path, logger, checkAccess() {}, maxRecords })
  return { path, messages, open, [Symbol.asyncDispose]: () => folder.close() }
}

describe('the journal of usage', () => {
  it('keeps records for the next process, each once, readable by its owner alone', async () => {
    await using world = await startWorld()
    const first = world.open()
    expect(await first.read()).toEqual([])
    first.keep(numbered(2))
    first.keep([record('r1'), record('r2')])
    await first.close()
    expect((await stat(world.path)).mode & 0o777).toBe(0o600)
    await using second = world.open()
    expect(await second.read()).toEqual(numbered(3))
  })

  it('is gone once everything is stored, and begins anew', async () => {
    await using world = await startWorld()
    await using journal = world.open()
    journal.keep(numbered(3))
    await journal.settled()
    journal.clear()
    await journal.settled()
    await expect(stat(world.path)).rejects.toMatchObject({ code: 'ENOENT' })
    journal.keep([record('late')])
    journal.clear()
    journal.keep([record('later')])
    await journal.settled()
    expect(await journal.read()).toEqual([record('later')])
  })

  it('REL-9: leaves out a line that was cut at any byte, and appends behind it', async () => {
    await using world = await startWorld()
    const first = world.open()
    first.keep(numbered(2))
    await first.close()
    const whole = await readFile(world.path)
    for (const cut of [1, 2, 50, 200]) {
      await writeFile(world.path, whole)
      await truncate(world.path, whole.length - cut)
      await using next = world.open()
      const kept = cut === 1 ? numbered(2) : numbered(1)
      expect(await next.read()).toEqual(kept)
      next.keep([record('after')])
      await next.settled()
      expect(await next.read()).toEqual([...kept, record('after')])
    }
    expect(world.messages).toContain('lines of the usage journal are damaged')
  })

  it('leaves out lines that are no records', async () => {
    await using world = await startWorld()
    await using journal = world.open()
    journal.keep(numbered(1))
    await journal.settled()
    await appendFile(world.path, 'null\n[]\n{"id":"x"}\n{"id":7}\nnonsense\n')
    expect(await journal.read()).toEqual(numbered(1))
  })

  // verifies usage:media:before
  it('keeps seconds, characters and images, and reads lines from before there were any', async () => {
    await using world = await startWorld()
    await using journal = world.open()
    const media = {
      ...record('media'),
      seconds: 90.25,
      characters: 7,
      images: 1,
      costMicros: 9,
      currency: 'EUR',
      cacheWriteTokens: 3,
    }
    journal.keep([record('old'), media])
    await journal.settled()
    await appendFile(world.path, `${JSON.stringify({ ...media, id: 'x', seconds: -1 })}\n`)
    await appendFile(world.path, `${JSON.stringify({ ...media, id: 'y', images: 0.5 })}\n`)
    expect(await journal.read()).toEqual([record('old'), media])
  })

  it('is bounded: the newest records stay', async () => {
    await using world = await startWorld(10)
    await using journal = world.open()
    for (const one of numbered(35)) {
      journal.keep([one])
      await journal.settled()
    }
    const lines = (await readFile(world.path, 'utf8')).split('\n').filter((line) => line !== '')
    expect(lines.length).toBeLessThanOrEqual(20)
    expect((await journal.read()).map(({ id }) => id)).toEqual(
      numbered(35)
        .slice(-10)
        .map(({ id }) => id),
    )
  })

  it('REL-7: says once that it cannot be written, and writes again once it can', async () => {
    const { messages, logger } = createLog()
    await using folder = await tempDir()
    const path = folder.join('later/journal')
    await using journal = createUsageJournal({ path, logger, checkAccess() {} })
    journal.keep([record('a')])
    await journal.settled()
    journal.keep([record('b')])
    await journal.settled()
    expect(messages).toEqual(['the usage journal cannot be written'])
    await mkdir(folder.join('later'))
    journal.keep([record('c')])
    await journal.settled()
    expect((await journal.read()).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  it('writes nothing into a folder that belongs to another server', async () => {
    const { messages, logger } = createLog()
    await using folder = await tempDir()
    const path = folder.join('usage-journal.jsonl')
    const checkAccess = () => {
      throw new Error('taken')
    }
    await using journal = createUsageJournal({ path, logger, checkAccess })
    journal.keep([record('a')])
    await journal.settled()
    expect(await readdir(folder.path)).toEqual([])
    expect(messages).toEqual(['the usage journal cannot be written'])
  })
})
