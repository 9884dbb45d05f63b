import { describe, expect, it } from 'vitest'
import { createChannel } from './channel.ts'

async function take<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const taken: Item[] = []
  for await (const item of items) taken.push(item)
  return taken
}

describe('a channel', () => {
  it('gives the items in order, including those before the reader', async () => {
    const channel = createChannel<number>(4)
    await channel.push(1)
    const reading = take(channel.items())
    await channel.push(2)
    await channel.push(3)
    channel.end()
    expect(await reading).toEqual([1, 2, 3])
  })

  it('lets the writer wait while it is full', async () => {
    const channel = createChannel<number>(2)
    const done: number[] = []
    const writing = (async () => {
      for (const item of [1, 2, 3, 4, 5]) {
        await channel.push(item)
        done.push(item)
      }
      channel.end()
    })()
    await new Promise((resolve) => setImmediate(resolve))
    expect(done).toEqual([1, 2])
    expect(await take(channel.items())).toEqual([1, 2, 3, 4, 5])
    await writing
  })

  it('gives the remaining items before the failure', async () => {
    const channel = createChannel<number>(4)
    await channel.push(1)
    channel.end(new Error('broken'))
    const items = channel.items()
    expect((await items.next()).value).toBe(1)
    await expect(items.next()).rejects.toThrow('broken')
  })

  it('holds up no writer once the reader has left', async () => {
    const channel = createChannel<number>(1)
    await channel.push(1)
    const waiting = channel.push(2)
    channel.end()
    await waiting
    await channel.push(3)
    expect(await take(channel.items())).toEqual([1])
  })
})
