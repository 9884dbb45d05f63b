import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { createFakeClock, tempDir } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { Clock, LogFields } from '../../ports.ts'
import { createRequestSamples, type RequestSamples } from './request-samples.ts'
import { type RequestSample, readHours } from './summarize.ts'

const NOW = Date.UTC(2026, 5, 1)
const HOUR = 3_600_000

interface World {
  readonly samples: RequestSamples
  readonly warnings: LogFields[]
  setNow(now: number): void
}

function open(folder: string, maxSamples?: number): World {
  const warnings: LogFields[] = []
  const wall = createFakeClock({ now: NOW })
  const clock: Clock = { now: () => wall.now(), monotonic: () => wall.monotonic(), sleep: systemClock.sleep }
  const ignore = (): void => undefined
  const logger = { debug: ignore, info: ignore, error: ignore, warn: (fields: LogFields) => void warnings.push(fields) }
  return { samples: createRequestSamples({ folder, maxSamples, clock, logger }), warnings, setNow: wall.setNow }
}

/** The summary, counted in the plainest way. */
function count(samples: readonly RequestSample[], now: number, hours: number) {
  const width = hours * HOUR
  const start = now - width
  const inside = samples.filter(({ at }) => at >= start && at <= now)
  const sorted = inside.map(({ durationMs }) => durationMs).sort((one, other) => one - other)
  const buckets = Array.from({ length: 12 }, (_, index) => {
    const from = start + (index * width) / 12
    const to = start + ((index + 1) * width) / 12
    const own = inside.filter(({ at }) => at >= from && (at < to || (index === 11 && at === now)))
    return { start: from, count: own.length, errors: own.filter(({ isFailed }) => isFailed).length }
  })
  return {
    total: inside.length,
    errors: inside.filter(({ isFailed }) => isFailed).length,
    p95Ms: sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0,
    buckets,
  }
}

const sample = fc.record({
  // Around the edges of buckets, in the future, and before every window.
  at: fc.oneof(
    fc.integer({ min: NOW - 170 * HOUR, max: NOW + HOUR }),
    fc.integer({ min: 0, max: 168 }).map((hours) => NOW - hours * HOUR),
    fc.integer({ min: -2, max: 12 }).map((bucket) => NOW - 24 * HOUR + bucket * 2 * HOUR - 1),
  ),
  durationMs: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 200_000 })),
  isFailed: fc.boolean(),
})

describe('the summary', () => {
  // verifies traces:summary:p95, traces:summary:buckets
  it('equals the plain count, at the edges of buckets and after steps of the clock', async () => {
    await using dir = await tempDir()
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { maxLength: 200 }),
        fc.constantFrom(1, 5, 24, 168),
        fc.constantFrom(0, -2 * HOUR, 3 * HOUR),
        async (all, hours, step) => {
          const { samples, setNow } = open(dir.path)
          for (const one of all) samples.add(one)
          setNow(NOW + step)
          expect(await samples.summarize(hours)).toEqual(count(all, NOW + step, hours))
          await samples.clear()
          await samples.close()
        },
      ),
      { numRuns: 60 },
    )
  })
  it('counts 100,000 requests as the plain count does, also after a restart', async () => {
    await using dir = await tempDir()
    const all = fc.sample(sample, { numRuns: 100_000, seed: 7 }).filter(({ at }) => at >= NOW - 168 * HOUR)
    const first = open(dir.path)
    for (const one of all) first.samples.add(one)
    for (const hours of [1, 24, 168]) expect(await first.samples.summarize(hours)).toEqual(count(all, NOW, hours))
    await first.samples.close()
    const second = open(dir.path)
    for (const hours of [1, 24, 168]) expect(await second.samples.summarize(hours)).toEqual(count(all, NOW, hours))
    await second.samples.close()
  })
  it('covers the newest requests up to its limit, in bounded files', async () => {
    await using dir = await tempDir()
    const { samples } = open(dir.path, 100)
    for (let index = 0; index < 1000; index += 1) {
      samples.add({ at: NOW - 1000 + index, durationMs: index, isFailed: false })
      if (index % 50 === 0) await samples.flush()
    }
    await samples.flush()
    expect(await samples.summarize(24)).toMatchObject({ total: 100, p95Ms: 994 })
    await samples.close()
    const sizes = await Promise.all((await readdir(dir.path)).map(async (file) => (await stat(dir.join(file))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100 * 16 * 4)
    const again = open(dir.path, 100)
    expect(await again.samples.summarize(24)).toMatchObject({ total: 100, p95Ms: 994 })
    await again.samples.close()
  })
  it('passes over damaged records and those that a kill has cut', async () => {
    await using dir = await tempDir()
    const first = open(dir.path)
    for (const durationMs of [1, 2, 3]) first.samples.add({ at: NOW, durationMs, isFailed: false })
    await first.samples.close()
    const bytes = await readFile(dir.join('requests.bin'))
    bytes[20] = (bytes[20] ?? 0) ^ 1
    await writeFile(dir.join('requests.bin'), bytes)
    await appendFile(dir.join('requests.bin'), Buffer.alloc(7))
    const second = open(dir.path)
    expect(await second.samples.summarize(24)).toMatchObject({ total: 2 })
    expect(second.warnings).toEqual([{ file: 'requests.bin', records: 2 }])
    second.samples.add({ at: NOW, durationMs: 4, isFailed: true })
    await second.samples.close()
    const third = open(dir.path)
    expect(await third.samples.summarize(24)).toMatchObject({ total: 3, errors: 1 })
    await third.samples.close()
    await truncate(dir.join('requests.bin'), 3)
    const fourth = open(dir.path)
    expect(await fourth.samples.summarize(24)).toMatchObject({ total: 0, p95Ms: 0 })
    await fourth.samples.close()
  })
})

describe('the hours of a summary', () => {
  // verifies traces:summary:hours-default, traces:summary:hours-cap
  it.each([
    [undefined, 24],
    ['', 24],
    ['x', 24],
    ['0', 24],
    ['-3', 24],
    ['1', 1],
    ['24', 24],
    ['168', 168],
    ['169', 168],
    ['99999999', 168],
  ])('of %j are %d', (text, hours) => {
    expect(readHours(text)).toBe(hours)
  })
})
