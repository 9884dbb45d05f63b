import { createDeferred } from '@svc/test-kit'
import type { DataChannel } from 'node-datachannel'
import { describe, expect, it } from 'vitest'
import { createEventChannel } from './event-channel.ts'

/** A channel of a client, as the library gives it. */
function createClientChannel(label = 'oai-events') {
  const sent: string[] = []
  const on = {
    open: (): void => undefined,
    low: (): void => undefined,
    closed: (): void => undefined,
    message: (_message: string | Buffer): void => undefined,
  }
  const state = { isOpen: true, buffered: 0, isClosed: false }
  const channel = {
    getLabel: () => label,
    isOpen: () => state.isOpen,
    bufferedAmount: () => state.buffered,
    maxMessageSize: () => 1000,
    setBufferedAmountLowThreshold: () => undefined,
    onOpen: (listener: () => void) => Object.assign(on, { open: listener }),
    onBufferedAmountLow: (listener: () => void) => Object.assign(on, { low: listener }),
    onClosed: (listener: () => void) => Object.assign(on, { closed: listener }),
    onMessage: (listener: (message: string | Buffer) => void) => Object.assign(on, { message: listener }),
    sendMessage: (text: string) => sent.push(text) > 0,
    close: () => Object.assign(state, { isClosed: true }),
  }
  return { channel: channel as unknown as DataChannel, sent, on, state }
}

function start(receive: (text: Uint8Array) => Promise<void> = async () => undefined) {
  const told: string[] = []
  const channel = createEventChannel({
    now: () => 7,
    receive,
    onSign: () => undefined,
    onClosed: () => told.push('closed'),
    onFlood: (reason) => told.push(reason),
  })
  return { channel, told }
}

describe('the channel of events', () => {
  it('sends in order, once the client has opened it', async () => {
    const { channel } = start()
    const client = createClientChannel()
    const first = channel.send('1')
    expect([client.sent, channel.behindSince]).toEqual([[], 7])
    expect(channel.attach(client.channel)).toBe(true)
    const second = channel.send('2')
    await Promise.all([first, second])
    expect([client.sent, channel.behindSince, channel.isFlushed]).toEqual([['1', '2'], undefined, true])
  })

  it.each(['before it is told of', 'before its opening is told of'])('tells of a channel that is closed %s', (when) => {
    const { channel, told } = start()
    const client = createClientChannel()
    client.state.isOpen = when !== 'before it is told of'
    channel.attach(client.channel)
    client.state.isOpen = false
    if (told.length === 0) client.on.open()
    expect(told).toEqual(['closed'])
  })

  it('waits while the client is behind', async () => {
    const { channel } = start()
    const client = createClientChannel()
    Object.assign(client.state, { isOpen: true, buffered: 2 * 1024 * 1024 })
    channel.attach(client.channel)
    const sending = channel.send('1')
    expect([client.sent, channel.isFlushed]).toEqual([[], false])
    client.state.buffered = 0
    client.on.low()
    await sending
    expect(client.sent).toEqual(['1'])
  })

  it('refuses an event that is larger than the client takes', async () => {
    const { channel } = start()
    const client = createClientChannel()
    channel.attach(client.channel)
    await expect(channel.send('x'.repeat(1001))).rejects.toMatchObject({ kind: 'too_large' })
    await channel.send('ok')
  })

  it('tells of a client that reads nothing', () => {
    const { channel, told } = start()
    for (let at = 0; at < 1025; at++) channel.send('x').catch(() => undefined)
    expect(told).toEqual(['the client reads no events'])
  })

  it('takes messages one after the other, and tells of a client that sends too many', async () => {
    const gate = createDeferred<void>()
    const taken: string[] = []
    const { channel, told } = start(async (text) => {
      taken.push(Buffer.from(text).toString())
      await gate.promise
    })
    const client = createClientChannel()
    channel.attach(client.channel)
    for (let at = 0; at <= 256; at++) client.on.message(String(at))
    expect([taken, told]).toEqual([['0'], []])
    client.on.message('257')
    expect(told).toEqual(['too many messages are waiting'])
    channel.close()
    gate.resolve()
    await gate.promise
    expect(taken).toEqual(['0'])
  })

  it('tells of messages that are not text, and of a client that closes it', () => {
    const { channel, told } = start()
    const client = createClientChannel()
    channel.attach(client.channel)
    client.on.message(Buffer.from('x'))
    client.on.closed()
    expect(told).toEqual(['messages are text', 'closed'])
  })

  it('is one, of its name', () => {
    const { channel } = start()
    expect(channel.attach(createClientChannel('other').channel)).toBe(false)
    expect(channel.attach(createClientChannel().channel)).toBe(true)
    expect(channel.attach(createClientChannel().channel)).toBe(false)
  })

  it('refuses what is to be sent after its end', async () => {
    const { channel, told } = start()
    const client = createClientChannel()
    channel.attach(client.channel)
    Object.assign(client.state, { buffered: 2 * 1024 * 1024 })
    const waiting = channel.send('1')
    channel.close()
    channel.close()
    await expect(waiting).rejects.toMatchObject({ code: 'call_over' })
    await expect(channel.send('2')).rejects.toMatchObject({ code: 'call_over' })
    client.on.closed()
    expect([told, client.state.isClosed]).toEqual([[], true])
  })
})
