import { describe, expect, it } from 'vitest'
import { ByteBudget } from './byte-meter.ts'
import { createInbox } from './socket-inbox.ts'

function world(options: { readonly takesBinary?: boolean; readonly waits?: boolean } = {}) {
  const budget = new ByteBudget(1000)
  const refusals: number[] = []
  const reading: boolean[] = []
  const inbox = createInbox({
    bodies: { meter: () => budget.open() },
    maxMessageBytes: 100,
    takesBinary: options.takesBinary ?? false,
    setReading: options.waits === true ? (isReading) => void reading.push(isReading) : undefined,
    isOver: () => false,
    refuse: (code) => void refusals.push(code),
  })
  const add = (text: string, isBinary = false): void => {
    inbox.addBytes(text.length)
    inbox.addMessage(Buffer.from(text), isBinary)
  }
  return { inbox, add, budget, refusals, reading }
}

describe('the inbox of a socket', () => {
  it('refuses binary messages where the route takes text only', async () => {
    const text = world()
    text.add('x', true)
    expect([text.refusals, text.budget.heldBytes]).toEqual([[1003], 0])
    const both = world({ takesBinary: true })
    both.add('x', true)
    const until = new AbortController()
    for await (const { isBinary, bytes } of both.inbox.read({ until: until.signal })) {
      expect([isBinary, String(bytes)]).toEqual([true, 'x'])
      until.abort()
    }
    expect([both.refusals, both.budget.heldBytes]).toEqual([[], 0])
  })

  it('refuses a client that is ahead, or reads no further from it until its messages are read', async () => {
    const strict = world()
    for (let count = 0; count < 17; count += 1) strict.add('x')
    expect(strict.refusals).toEqual([1008])
    const patient = world({ waits: true })
    for (let count = 0; count < 17; count += 1) patient.add(`${count}`)
    expect([patient.refusals, patient.reading]).toEqual([[], [false]])
    const until = new AbortController()
    const read: string[] = []
    for await (const { bytes } of patient.inbox.read({ until: until.signal })) {
      read.push(String(bytes))
      if (read.length === 17) until.abort()
    }
    expect(read.at(-1)).toBe('16')
    expect(patient.reading).toEqual([false, true])
    expect(patient.budget.heldBytes).toBe(0)
  })
})
