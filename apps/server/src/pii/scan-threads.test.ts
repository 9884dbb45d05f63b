import type { DetectionSettings } from '@svc/pii'
import { createDetector, type ScanDocument } from '@svc/pii/detectors'
import type { PatternTask } from '@svc/pii/offload'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../clock.ts'
import type { Clock } from '../ports.ts'
import { createScanThreads, type ScanThreads, type ScanThreadsOptions } from './scan-threads.ts'

const { signal } = new AbortController()
const settings: DetectionSettings = { builtins: ['email'], patterns: [{ name: 'TICKET', match: 'tick-[0-9]{4}' }] }
const createDocument = (text: string): ScanDocument => {
  return { text, segments: [{ start: 0, end: text.length }], messages: [] }
}
const createTask = (text: string): PatternTask => {
  const segments = new Uint32Array([0, text.length])
  return { settings, document: { text: [new TextEncoder().encode(text)], segments, messages: new Uint32Array() } }
}

const opened: ScanThreads[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.close()))
})

function open(options: Partial<ScanThreadsOptions> = {}): ScanThreads {
  const threads = createScanThreads({ clock: systemClock, logger: silentLogger, threads: 1, ...options })
  opened.push(threads)
  return threads
}

describe('documents on threads of their own', () => {
  it('are scanned as in this one', async () => {
    const threads = open()
    const text = `${'Grüße 🚲 '.repeat(10_000)} ada@host.example, tick-1234`
    const here = createDetector({ name: 'keys', settings })
    const elsewhere = createDetector({ name: 'keys', settings, offload: { scanner: threads } })
    const found = await elsewhere.detect(createDocument(text), { signal })
    expect(found).toHaveLength(2)
    expect(found).toEqual(await here.detect(createDocument(text), { signal }))
  })

  it('fail when their patterns are invalid', async () => {
    const task = { ...createTask('x'), settings: { patterns: [{ name: 'ALL', match: '.*' }] } }
    await expect(open().scan(task, { signal })).rejects.toMatchObject({ code: 'pii_config' })
  })

  it('are abandoned when their caller leaves', async () => {
    const threads = open()
    const controller = new AbortController()
    const scan = threads.scan(createTask('tick-12x '.repeat(2_000_000)), { signal: controller.signal })
    const reason = new Error('gone')
    controller.abort(reason)
    await expect(scan).rejects.toBe(reason)
    expect(await threads.scan(createTask('tick-1234'), { signal })).toMatchObject({ kinds: [{ group: 'TICKET' }] })
  })
})

describe('a thread that fails', () => {
  const program = new URL('./__fixtures__/faulty-scan-worker.mjs', import.meta.url)
  const faulty = (options: Partial<ScanThreadsOptions> = {}): ScanThreads => open({ program, ...options })
  /** Number of documents of the thread that took this one. */
  async function countDocuments(threads: ScanThreads): Promise<number | undefined> {
    return (await threads.scan(createTask('how many?'), { signal })).places[1]
  }

  it.each(['exit', 'throw', 'fill'])('by %s fails its document, and another takes the next', async (act) => {
    const warnings: unknown[] = []
    const threads = faulty({ heapMiB: 16, logger: { ...silentLogger, warn: (...warning) => warnings.push(warning) } })
    expect([await countDocuments(threads), await countDocuments(threads)]).toEqual([1, 2])
    await expect(threads.scan(createTask(act), { signal })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'scan_thread_ended',
    })
    expect(await countDocuments(threads)).toBe(1)
    expect(warnings).toEqual([[{ code: 'scan_thread_ended' }, 'a large document could not be scanned']])
  })

  it('to get another document for a while is ended', async () => {
    const rests: (() => void)[] = []
    const sleep: Clock['sleep'] = (ms, { signal: awake }) =>
      new Promise((resolve, reject) => {
        if (ms === 7) rests.push(resolve)
        awake.addEventListener('abort', () => reject(awake.reason), { once: true })
      })
    const threads = faulty({ idleMs: 7, clock: { ...systemClock, sleep } })
    expect([await countDocuments(threads), await countDocuments(threads)]).toEqual([1, 2])
    for (const end of rests.slice(0, -1)) end()
    expect(await countDocuments(threads)).toBe(3)
    rests.at(-1)?.()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await countDocuments(threads)).toBe(1)
  })

  it('to find, but not more, keeps its thread', async () => {
    const threads = faulty()
    await expect(threads.scan(createTask('refuse'), { signal })).rejects.toMatchObject({ code: 'pii_config' })
    expect(await countDocuments(threads)).toBe(2)
  })

  it('to leave its document is ended', async () => {
    const threads = faulty({ leaveMs: 1 })
    const controller = new AbortController()
    const hanging = threads.scan(createTask('hang'), { signal: controller.signal })
    const next = countDocuments(threads)
    controller.abort(new Error('gone'))
    await expect(hanging).rejects.toThrow('gone')
    expect(await next).toBe(1)
  })

  it('to leave its document is ended with all of them', async () => {
    const threads = faulty({ leaveMs: 1 })
    const hanging = threads.scan(createTask('hang'), { signal })
    const closing = threads.close()
    await expect(hanging).rejects.toMatchObject({ code: 'scan_thread_ended' })
    await closing
    await expect(threads.scan(createTask('x'), { signal })).rejects.toMatchObject({ code: 'scan_closed' })
  })

  it('is not waited for by more documents than may wait', async () => {
    const threads = faulty({ waiting: 1 })
    const controller = new AbortController()
    const held = threads.scan(createTask('wait'), { signal: controller.signal })
    const waiting = countDocuments(threads)
    await expect(countDocuments(threads)).rejects.toMatchObject({ kind: 'unavailable', code: 'scan_busy' })
    controller.abort(new Error('gone'))
    await expect(held).rejects.toThrow('gone')
    expect(await waiting).toBe(2)
  })

  it('leaves the others alone', async () => {
    const threads = faulty({ threads: 2 })
    const controller = new AbortController()
    const held = threads.scan(createTask('wait'), { signal: controller.signal })
    expect([await countDocuments(threads), await countDocuments(threads)]).toEqual([1, 2])
    controller.abort(new Error('gone'))
    await expect(held).rejects.toThrow('gone')
  })
})
