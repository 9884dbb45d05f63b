import { Reply } from '@svc/backend-client/proto'
import { createDeferred, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { batchReplies } from './batch-replies.ts'

const reply = (text: string): Reply => Reply.fromPartial({ message: Buffer.from(text) })
const toText = (batch: readonly Reply[] | undefined): string =>
  (batch ?? []).map(({ message }) => message.toString()).join('')

describe('batchReplies', () => {
  it('gives every reply once, in order, then the end', async () => {
    async function* replies() {
      for (let index = 0; index < 1000; index += 1) yield reply(`${index},`)
    }
    let text = ''
    for await (const batch of batchReplies(replies())) {
      expect(batch.length).toBeGreaterThan(0)
      text += toText(batch)
    }
    expect(text).toBe(Array.from({ length: 1000 }, (_, index) => `${index},`).join(''))
  })

  it('gives the replies that arrived while its reader was busy as one batch', async () => {
    const taken: string[] = []
    async function* replies() {
      for (const piece of ['a', 'b', 'c']) {
        taken.push(piece)
        yield reply(piece)
      }
    }
    const batches = batchReplies(replies())[Symbol.asyncIterator]()
    const first = await batches.next()
    await eventually(() => expect(taken).toEqual(['a', 'b', 'c']))
    await new Promise((resolve) => setImmediate(resolve))
    expect([toText(first.value), toText((await batches.next()).value)].join('|')).toBe('a|bc')
    expect(await batches.next()).toEqual({ done: true, value: undefined })
  })

  it('gives replies before the failure behind them', async () => {
    async function* replies() {
      yield reply('a')
      throw new Error('broken')
    }
    const batches = batchReplies(replies())[Symbol.asyncIterator]()
    expect(toText((await batches.next()).value)).toBe('a')
    await expect(batches.next()).rejects.toThrow('broken')
  })

  it('holds a stream back whose reader does not keep up', async () => {
    let made = 0
    async function* replies() {
      for (; made < 100_000; made += 1) yield reply('0123456789abcdef')
    }
    const batches = batchReplies(replies())[Symbol.asyncIterator]()
    await batches.next()
    let before = -1
    await eventually(() => {
      const isStill = made === before
      before = made
      expect(isStill).toBe(true)
    })
    expect(made).toBeLessThan(1000)
    let count = 1
    for (let step = await batches.next(); step.done !== true; step = await batches.next()) count += step.value.length
    expect(count).toBe(100_000)
  })

  it('ends a stream whose reader leaves', async () => {
    const ended = createDeferred<void>()
    async function* replies() {
      try {
        for (;;) yield reply('a')
      } finally {
        ended.resolve()
      }
    }
    for await (const _ of batchReplies(replies())) break
    await ended.promise
  })

  it('asks nobody before the first pull', async () => {
    let started = false
    async function* replies() {
      started = true
      yield reply('a')
    }
    const batches = batchReplies(replies())
    await new Promise((resolve) => setImmediate(resolve))
    expect(started).toBe(false)
    for await (const _ of batches) expect(started).toBe(true)
  })
})
