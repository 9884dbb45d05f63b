import { connect, createServer, type Server, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { createDeferred, eventually, patienceMs } from '@svc/test-kit'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ReaderLimits } from './limits.ts'
import type { PlainRequest } from './plain-request.ts'
import type { Reply } from './reply.ts'
import { createRequestReader } from './request-reader.ts'

type Serve = (incoming: PlainRequest, outgoing: Reply) => unknown

async function listening(serve: Serve, limits: Partial<ReaderLimits> = {}) {
  const handedOver: Buffer[] = []
  const reader = createRequestReader({
    accepts: ({ target }) => target !== '/other',
    serve,
    handOver(socket) {
      socket.on('data', (chunk: Buffer) => {
        handedOver.push(chunk)
        socket.end('handed over')
      })
    },
    limits,
  })
  const accepted: Socket[] = []
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket)
    reader.accept(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    reader.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return { reader, handedOver, server, accepted, open: () => open(port) }
}

async function open(port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  let text = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket
    .on('error', () => undefined)
    .on('close', () => {
      isClosed = true
    })
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  const until = async (isDone: () => boolean): Promise<string> => {
    await eventually(() => expect(isDone(), JSON.stringify(text.slice(-300))).toBe(true))
    return text
  }
  return {
    socket,
    send: (...pieces: (string | Buffer)[]) => pieces.map((piece) => socket.write(piece)),
    replies: (part: string | RegExp) => until(() => (typeof part === 'string' ? text.includes(part) : part.test(text))),
    closed: () => until(() => isClosed),
    text: () => text,
  }
}

const post = (body: string, lines = ''): string =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${lines}\r\n${body}`

async function readText({ body }: PlainRequest): Promise<string> {
  if (!(body instanceof Readable)) return Buffer.from(body ?? []).toString()
  let text = ''
  for await (const chunk of body) text += String(chunk)
  return text
}

const echo: Serve = (incoming, outgoing) => {
  void readText(incoming).then((text) =>
    outgoing.writeHead(200, { 'Content-Length': text.length + 2 }).end(`<${text}>`),
  )
}

describe('requests of one connection', () => {
  it('are answered in turn, also when they come at once', async () => {
    const server = await listening(echo)
    const client = await server.open()
    client.send(post('a') + post('bb') + post('ccc'))
    const text = await client.replies('<ccc>')
    expect([...text.matchAll(/<\w+>/g)].map(String)).toEqual(['<a>', '<bb>', '<ccc>'])
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
    expect(text).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=120\r\n')
  })

  it.each([1, 2, 3, 7, 50])('may come with their bodies in pieces of %i', async (size) => {
    const server = await listening(echo)
    const client = await server.open()
    const body = 'the body, '.repeat(10)
    const whole = post(body)
    const start = whole.length - body.length
    client.send(whole.slice(0, start))
    for (let at = start; at < whole.length; at += size) {
      client.send(whole.slice(at, at + size))
      await eventually(() => expect(server.accepted[0]?.bytesRead).toBe(Math.min(at + size, whole.length)))
    }
    client.send(post('next'))
    expect(await client.replies('<next>')).toContain(`<${body}>`)
    expect(server.handedOver).toEqual([])
  })

  it('hold a body back that nobody reads, and lose none of it', async () => {
    let incoming: PlainRequest | undefined
    let outgoing: Reply | undefined
    const server = await listening((request, reply) => {
      incoming = request
      outgoing = reply
    })
    const client = await server.open()
    const body = 'x'.repeat(5_000_000)
    client.send(post(body))
    await eventually(() => expect(server.accepted[0]?.isPaused()).toBe(true))
    expect(client.socket.writableLength).toBeGreaterThan(100_000)
    const { body: held } = incoming ?? {}
    expect(held instanceof Readable && held.readableLength).toBeLessThan(300_000)
    expect(await readText(incoming as PlainRequest)).toHaveLength(body.length)
    outgoing?.end('ok')
    await client.replies('ok')
  })

  it('go on after a reply that did not wait for the body', async () => {
    const served: string[] = []
    const server = await listening((incoming, outgoing) => {
      served.push(incoming.headers['x-name'] as string)
      outgoing.end('early')
    })
    const client = await server.open()
    const body = 'y'.repeat(300_000)
    client.send(post(body, 'X-Name: one\r\n').slice(0, 1000))
    await client.replies('early')
    client.send(post(body, 'X-Name: one\r\n').slice(1000), post('', 'X-Name: two\r\n'))
    await client.replies(/early[\s\S]*early/)
    expect(served).toEqual(['one', 'two'])
  })

  it.each([
    ['asks', 'Connection: close\r\n', {}],
    ['is told', '', { Connection: 'close' }],
  ])('end when the client %s', async (_, lines, headers) => {
    const server = await listening((_incoming, outgoing) => outgoing.writeHead(200, headers).end('bye'))
    const client = await server.open()
    client.send(post('', lines) + post(''))
    const text = await client.closed()
    expect(text).toContain('Connection: close\r\n')
    expect(text.match(/bye/g)).toHaveLength(1)
  })

  it('are not served after the last, whatever else comes', async () => {
    const served: (string | undefined)[] = []
    const server = await listening(({ headers }, outgoing) => {
      served.push(String(headers['x-name']))
      outgoing.end('bye')
    })
    const client = await server.open()
    // As much as one read takes, so that the next read follows at once.
    const start = post('', 'Connection: close\r\nX-Name: one\r\n')
    const two = post('', 'X-Name: two\r\n')
    client.send(start + 'x'.repeat(65_536 - start.length) + two.repeat(1000))
    await client.closed()
    expect(served).toEqual(['one'])
  })

  it('that are not plain, or not served here, hand the connection over with all that was read', async () => {
    for (const next of [
      'POST /other HTTP/1.1\r\n\r\n',
      'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST / HT',
    ]) {
      const server = await listening(echo)
      const client = await server.open()
      client.send(post('a') + next)
      expect(await client.replies('handed over')).toContain('<a>')
      expect(Buffer.concat(server.handedOver).toString()).toBe(next)
    }
  })
})

describe('a client that leaves', () => {
  it.each([
    ['before its reply has begun', 'destroy', ''],
    ['before its reply has begun', 'resetAndDestroy', ''],
    ['while its reply comes', 'destroy', 'x'],
    ['while its reply comes', 'end', 'x'],
  ] as const)('%s closes the reply (%s)', async (_, how, begun) => {
    let outgoing: Reply | undefined
    let closes = 0
    const server = await listening((_incoming, reply) => {
      outgoing = reply
      reply.once('close', () => {
        closes += 1
      })
    })
    const client = await server.open()
    client.send(post(''))
    await eventually(() => expect(outgoing).toBeDefined())
    if (begun !== '') {
      outgoing?.write(begun)
      await client.replies(begun)
    }
    client.socket[how]()
    await eventually(() => expect(closes).toBe(1))
    expect([closes, outgoing?.destroyed, outgoing?.writableFinished]).toEqual([1, true, false])
    expect(outgoing?.write('x')).toBe(true)
    outgoing?.end()
    expect(closes).toBe(1)
  })

  it('in the middle of its body breaks the body off', async () => {
    let read: Promise<string> | undefined
    const server = await listening((incoming) => {
      read = readText(incoming)
      read.catch(() => undefined)
    })
    const client = await server.open()
    client.send(post('abcdef').slice(0, -3))
    await eventually(() => expect(read).toBeDefined())
    client.socket.destroy()
    await expect(read).rejects.toThrow('the connection has ended')
  })

  it('that does not read gets no more than it takes', async () => {
    let outgoing: Reply | undefined
    let drains = 0
    const server = await listening((_incoming, reply) => {
      outgoing = reply
      reply.on('drain', () => {
        drains += 1
      })
    })
    const client = await server.open()
    client.socket.pause()
    client.send(post(''))
    await eventually(() => expect(outgoing).toBeDefined())
    let written = 0
    while (outgoing?.write('z'.repeat(65_536)) === true && written < 1000) written += 1
    expect(written).toBeLessThan(1000)
    client.socket.resume()
    await client.replies('z')
    await eventually(() => expect(drains).toBe(1))
    outgoing?.end('the end')
    expect(await client.replies('0\r\n\r\n')).toContain('the end')
  })
})

describe('a client that sends nothing more', () => {
  const close = 'Connection: close\r\n'
  const two = post('', 'X-Name: two\r\n')

  it.each<readonly [name: string, sent: string, answers: readonly string[]]>([
    ['one request', post('a'), ['<a>']],
    ['requests that come at once', post('a') + post('bb') + post('ccc'), ['<a>', '<bb>', '<ccc>']],
    ['a request that asks for the end', post('a', close), ['<a>']],
    ['nothing', '', []],
    ['half a head', 'POST / HT', []],
    ['half a body', post('abc').slice(0, -1), []],
    ['half a head behind a request', `${post('a')}POST / HT`, ['<a>']],
    ['half a body behind a request', post('a') + post('abc').slice(0, -1), ['<a>']],
    ['a request for another server behind one', `${post('a')}POST /other HTTP/1.1\r\n\r\n`, ['<a>']],
  ])('is answered what it has asked, then the connection ends: %s', async (_, sent, answers) => {
    const ended = createDeferred<void>()
    const server = await listening(async (incoming, outgoing) => {
      const text = await readText(incoming).catch(() => 'broken off')
      await ended.promise
      outgoing.end(`<${text}>`)
    })
    const client = await server.open()
    client.socket.end(sent)
    await eventually(() => expect(server.accepted[0]?.readableEnded).toBe(true))
    ended.resolve()
    const text = await client.closed()
    expect([...text.matchAll(/<\w+>/g)].map(String)).toEqual(answers)
    await eventually(() => expect(server.accepted[0]?.destroyed).toBe(true))
  })

  it('is asked whether it still waits, and gets a stream that begins late', async () => {
    let outgoing: Reply | undefined
    const server = await listening((_incoming, reply) => {
      outgoing = reply
    })
    const client = await server.open()
    client.socket.end(post(''))
    await client.replies(/^(HTTP\/1\.1 100 Continue\r\n\r\n){3}/)
    expect(outgoing?.destroyed).toBe(false)
    outgoing?.write('one')
    await client.replies('one')
    outgoing?.end('two')
    expect(await client.closed()).toMatch(
      /^(HTTP\/1\.1 100 Continue\r\n\r\n)+HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n[\s\S]*one[\s\S]*two/,
    )
  })

  it('is asked for each of its requests, and no further one is served when it leaves', async () => {
    const served: Reply[] = []
    const server = await listening((_incoming, reply) => void served.push(reply))
    const client = await server.open()
    client.socket.end(post('') + two + two)
    await eventually(() => expect(served).toHaveLength(1))
    served[0]?.end('one')
    await client.replies('one')
    await eventually(() => expect(served).toHaveLength(2))
    client.socket.destroy()
    await eventually(() => expect(served[1]?.destroyed).toBe(true))
    expect(served).toHaveLength(2)
  })

  it('gets the reply that did not wait for its body', async () => {
    const server = await listening((_incoming, outgoing) => outgoing.end('early'))
    const client = await server.open()
    client.socket.end(post('abc').slice(0, -1))
    expect(await client.closed()).toMatch(/early$/)
  })
})

describe('a reply that is still on its way out', () => {
  const LARGE = 'x'.repeat(20_000_000)

  /** A client that has sent something and does not read. */
  async function unread(sent: string, limits: Partial<ReaderLimits> = {}) {
    const events: string[] = []
    const server = await listening((incoming, outgoing) => {
      events.push(`served ${incoming.headers['x-name']}`)
      outgoing.once('finish', () => events.push('finish'))
      outgoing.once('close', () => events.push('close'))
      outgoing.end(LARGE)
    }, limits)
    const client = await server.open()
    client.socket.pause()
    client.send(sent)
    await eventually(() => expect(server.accepted[0]?.writableLength).toBeGreaterThan(0))
    return { ...server, client, events }
  }

  it('has not finished when the client leaves, and nothing more is served', async () => {
    const { client, events } = await unread(post('', 'X-Name: one\r\n') + post('', 'X-Name: two\r\n'))
    client.socket.resetAndDestroy()
    await eventually(() => expect(events).toEqual(['served one', 'close']))
  })

  it('arrives whole at a client that sends nothing more', async () => {
    const { client, events, accepted } = await unread(post('', 'X-Name: one\r\n'))
    client.socket.end()
    await eventually(() => expect(accepted[0]?.readableEnded).toBe(true))
    client.socket.resume()
    expect((await client.closed()).endsWith(LARGE)).toBe(true)
    expect(events).toEqual(['served one', 'finish', 'close'])
  })

  it('is the last one when the server stops meanwhile', async () => {
    const { reader, client, events } = await unread(post('', 'X-Name: one\r\n') + post('', 'X-Name: two\r\n'))
    reader.drain()
    client.socket.resume()
    expect((await client.closed()).endsWith(LARGE)).toBe(true)
    expect(events).toEqual(['served one', 'finish', 'close'])
  })

  it('REL-3: is cut off from a client that takes nothing of it', async () => {
    const { client, events } = await unread(post('', 'X-Name: one\r\n') + post('', 'X-Name: two\r\n'), { unreadMs: 50 })
    await eventually(() => expect(events).toEqual(['served one', 'close']))
    client.socket.resume()
    expect((await client.closed()).length).toBeLessThan(LARGE.length)
  })

  it('REL-3: is cut off from a client that takes nothing of it and sends bytes all the time', async () => {
    const { client, events } = await unread(post('', 'X-Name: one\r\n'), { unreadMs: 300 })
    const sending = setInterval(() => client.send('x'), 20)
    onTestFinished(() => clearInterval(sending))
    await eventually(() => expect(events).toEqual(['served one', 'close']))
  })

  it('REL-3: arrives whole at a client that is slow, and the connection goes on', async () => {
    const unreadMs = patienceMs(1500)
    const { client, events } = await unread(post('', 'X-Name: one\r\n'), { unreadMs })
    for (let bites = 1; !events.includes('finish') && bites < 100; bites += 1) {
      const enough = client.text().length + 1_000_000
      client.socket.resume()
      await eventually(() => expect(client.text().length >= enough || events.includes('finish')).toBe(true))
      client.socket.pause()
      await wait(150)
    }
    client.socket.resume()
    await client.replies(/x$/)
    await wait(unreadMs + 100)
    client.send(post('', 'X-Name: two\r\n'))
    await eventually(() => expect(events).toEqual(['served one', 'finish', 'close', 'served two', 'finish', 'close']))
  })

  it('has not finished where the connection was cut before its end', async () => {
    const events: string[] = []
    const server = await listening(({ socket }, outgoing) => {
      outgoing.once('finish', () => events.push('finish'))
      outgoing.once('close', () => events.push('close'))
      if (socket instanceof Socket) socket.destroy()
      outgoing.end('late')
    })
    const client = await server.open()
    client.send(post('', 'X-Name: one\r\n') + post('', 'X-Name: two\r\n'))
    await client.closed()
    await eventually(() => expect(events).toEqual(['close']))
  })
})

describe('time', () => {
  it.each([
    ['never says anything', '', { unusedMs: 1 }],
    ['says nothing more', post(''), { idleMs: 1 }],
    ['does not send its body', post('abc').slice(0, -1), { bodyMs: 1 }],
  ])(
    'ends a connection that %s',
    async (_, sent, limits) => {
      const server = await listening((incoming, outgoing) => {
        if (incoming.body instanceof Readable) incoming.body.resume()
        else outgoing.end('ok')
      }, limits)
      const client = await server.open()
      if (sent !== '') client.send(sent)
      await client.closed()
    },
    10_000,
  )
})

describe('drain', () => {
  it('ends what is idle now and what is answered with its reply', async () => {
    let outgoing: Reply | undefined
    const server = await listening((incoming, reply) => {
      if (incoming.headers['x-slow'] === undefined) reply.end('ok')
      else outgoing = reply
    })
    const [unused, idle, busy] = [await server.open(), await server.open(), await server.open()]
    idle.send(post(''))
    await idle.replies('ok')
    busy.send(post('', 'X-Slow: 1\r\n'))
    await eventually(() => expect(outgoing).toBeDefined())
    const drained = new Promise((resolve) => server.server.close(resolve))
    server.reader.drain()
    await unused.closed()
    await idle.closed()
    outgoing?.end('done')
    const text = await busy.closed()
    expect(text).toContain('Connection: close\r\n')
    expect(text).toContain('done')
    await drained
  })

  it('ends a connection with the rest of a body that its reply did not wait for', async () => {
    const server = await listening((_incoming, outgoing) => outgoing.end('early'))
    const client = await server.open()
    client.send(post('abc').slice(0, -1))
    await client.replies('early')
    server.reader.drain()
    client.send('c')
    await client.closed()
  })
})
