import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { createLiveFeed, followFeed, type LiveFeed, type LiveFeedOptions } from './live-feed.ts'

const signal = new AbortController().signal
const full = new SvcError('rate_limited', 'full')
const slow = new SvcError('unavailable', 'slow')

function createFeed(options: Partial<LiveFeedOptions<string>> = {}): LiveFeed<string> {
  return createLiveFeed({ maxEvents: 3, maxReaders: 2, onFull: () => full, ...options })
}

function publish(feed: LiveFeed<string>, events: string): void {
  for (const event of events) feed.publish(event)
}

async function collect(events: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const event of events) text += event
  return text
}

describe('a feed', () => {
  it('keeps the newest events up to a number and a size, and numbers every event', () => {
    const feed = createFeed({ maxSize: 4, sizeOf: ({ length }) => length })
    publish(feed, 'abcde')
    expect([feed.next, feed.size, feed.kept().join('')]).toEqual([5, 3, 'cde'])
    expect(feed.kept(4)).toEqual(['e'])
    feed.publish('four')
    expect([feed.size, feed.kept()]).toEqual([4, ['four']])
    feed.clear()
    expect([feed.next, feed.size, feed.kept()]).toEqual([6, 0, []])
  })

  it('keeps the right events over any number of them', () => {
    const feed = createFeed()
    for (let count = 0; count < 100; count += 1) {
      feed.publish(String(count))
      const kept = [count - 2, count - 1, count].filter((number) => number >= 0).map(String)
      expect(feed.kept()).toEqual(kept)
    }
  })
})

describe('a reader', () => {
  it('takes the events since it opened, then those since the last take', () => {
    const feed = createFeed()
    publish(feed, 'ab')
    const reader = feed.open()
    expect(reader.take()).toEqual({ first: 2, events: [] })
    publish(feed, 'cd')
    expect(reader.take()).toEqual({ first: 2, events: ['c', 'd'] })
    expect(reader.take()).toEqual({ first: 4, events: [] })
  })

  it('begins at a number: with kept events, or with one that is still to come', () => {
    const feed = createFeed()
    publish(feed, 'ab')
    expect(feed.open(1).take()).toEqual({ first: 1, events: ['b'] })
    const ahead = feed.open(3)
    publish(feed, 'c')
    expect(ahead.take()?.events).toEqual([])
    publish(feed, 'd')
    expect(ahead.take()).toEqual({ first: 3, events: ['d'] })
  })

  it('that falls behind goes on with the oldest kept event, and sees the gap', () => {
    const feed = createFeed()
    const reader = feed.open()
    publish(feed, 'abcde')
    expect(reader.take()).toEqual({ first: 2, events: ['c', 'd', 'e'] })
  })

  it('that falls behind is refused where the feed refuses it, and leaves its place to another', () => {
    const feed = createFeed({ onSlow: () => slow, maxReaders: 1 })
    const reader = feed.open()
    publish(feed, 'abc')
    expect(() => feed.open()).toThrow(full)
    publish(feed, 'd')
    expect(() => reader.take()).toThrow(slow)
    expect(feed.open().take()).toEqual({ first: 4, events: [] })
  })

  it('waits for an event, for the end, or for its signal', async () => {
    const feed = createFeed()
    const [first, second] = [feed.open(), feed.open()]
    const left = new AbortController()
    const waiting = [first.wait(signal), second.wait(left.signal)]
    publish(feed, 'a')
    await Promise.all(waiting)
    await first.wait(signal)
    expect(first.take()?.events).toEqual(['a'])
    expect(second.take()?.events).toEqual(['a'])
    const gone = second.wait(left.signal)
    left.abort()
    await gone
    expect(second.take()?.events).toEqual([])
    const end = first.wait(signal)
    feed.end()
    await end
    expect(first.take()).toBeUndefined()
  })

  it('takes the events up to the end and nothing later, even if it opens after the end', () => {
    const feed = createFeed({ maxReaders: 1 })
    const reader = feed.open()
    publish(feed, 'a')
    feed.end()
    publish(feed, 'b')
    for (const each of [reader, feed.open(0)]) {
      expect(each.take()?.events).toEqual(['a'])
      expect(each.take()).toBeUndefined()
    }
    expect(feed.kept()).toEqual(['a', 'b'])
  })

  it('is one of few; closing one frees its place, once', () => {
    const feed = createFeed()
    const readers = [feed.open(), feed.open()]
    expect(() => feed.open()).toThrow(full)
    for (let count = 0; count < 2; count += 1) readers[0]?.close()
    feed.open()
    expect(() => feed.open()).toThrow(full)
  })
})

describe('following a feed', () => {
  it('gives kept events from a number on, then new ones, to the end', async () => {
    const feed = createFeed()
    publish(feed, 'ab')
    const all = collect(followFeed(feed, { from: 1, signal }))
    publish(feed, 'c')
    await Promise.resolve()
    publish(feed, 'd')
    feed.end()
    expect(await all).toBe('bcd')
  })

  it('ends with the reason of its signal, and gives its place back', async () => {
    const feed = createFeed({ maxReaders: 1 })
    const left = new AbortController()
    const all = collect(followFeed(feed, { from: 0, signal: left.signal }))
    const reason = new Error('gone')
    left.abort(reason)
    await expect(all).rejects.toBe(reason)
    feed.open()
  })

  it('takes a place only once it begins', async () => {
    const feed = createFeed({ maxReaders: 1 })
    const [idle, first, second] = [0, 0, 0].map((from) => followFeed(feed, { from, signal }))
    publish(feed, 'a')
    expect(await first?.next()).toEqual({ done: false, value: 'a' })
    await expect(second?.next()).rejects.toBe(full)
    await first?.return()
    expect(await idle?.next()).toEqual({ done: false, value: 'a' })
  })
})
