import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeferred } from '@svc/test-kit'

/** A way to a server that a test can close, open and make slow. */
export interface SwitchableProxy extends AsyncDisposable {
  readonly port: number
  /** Cuts every connection and takes no other. */
  shut(): void
  /**
   * Keeps every connection and forwards nothing more.
   *
   * @param which `open`: new connections work. `to server`, `to client`: the other direction goes on. @default 'all'
   */
  hang(which?: 'all' | 'open' | Direction): void
  /** Delays what is forwarded in each direction, and limits it. */
  slow(pace: Pace): void
  open(): void
}

export interface Pace {
  /** Added to each piece, milliseconds. A piece has 64 KiB at most. */
  readonly delayMs: number
  /** Of each direction of each connection. */
  readonly bytesPerSecond: number
}

type Direction = 'to server' | 'to client'

/** Where a proxy listens on the loopback interface. */
export interface ProxyPlace {
  /** @default a free one */
  readonly port?: number
}

type State = 'open' | 'shut' | 'hung' | Direction

interface Link {
  isHung: boolean
  isEnded: boolean
  end(): void
}

/** Starts a proxy to a port of this machine; it is open. */
export async function startSwitchableProxy(target: number, place: ProxyPlace = {}): Promise<SwitchableProxy> {
  let state: State = 'open'
  let pace: Pace | undefined
  let changed = createDeferred<void>()
  const links = new Set<Link>()
  const notify = (): void => {
    changed.resolve()
    changed = createDeferred()
  }
  const isHeld = (link: Link, direction: Direction): boolean =>
    !link.isEnded && (link.isHung || state === 'hung' || state === direction)
  async function forward(link: Link, direction: Direction, from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (pace !== undefined) await sleep(pace.delayMs + (chunk.length / pace.bytesPerSecond) * 1000)
      while (isHeld(link, direction)) await changed.promise
      if (link.isEnded) return
      await write(to, chunk)
    }
    while (isHeld(link, direction)) await changed.promise
    to.end()
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined)
    if (state === 'shut') {
      client.destroy()
      return
    }
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    const link: Link = {
      isHung: false,
      isEnded: false,
      end() {
        link.isEnded = true
        links.delete(link)
        client.destroy()
        upstream.destroy()
        notify()
      },
    }
    links.add(link)
    upstream.on('error', link.end)
    for (const socket of [client, upstream]) socket.once('close', (hadError) => hadError && link.end())
    const both = [forward(link, 'to server', client, upstream), forward(link, 'to client', upstream, client)]
    void Promise.all(both).then(link.end, link.end)
  })
  const port = await listen(server, place)
  const shut = (): void => {
    state = 'shut'
    for (const link of [...links]) link.end()
  }
  return {
    port,
    shut,
    hang(which = 'all') {
      if (which === 'open') for (const link of links) link.isHung = true
      else state = which === 'all' ? 'hung' : which
    },
    slow(given) {
      pace = given
    },
    open() {
      state = 'open'
      pace = undefined
      for (const link of links) link.isHung = false
      notify()
    },
    async [Symbol.asyncDispose]() {
      shut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function listen(server: ReturnType<typeof createServer>, { port = 0 }: ProxyPlace): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    })
  })
}

/** Resolves when the socket takes more, or is gone. */
function write(to: Socket, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      to.off('drain', end).off('close', end)
      resolve()
    }
    if (to.destroyed || to.write(chunk)) return resolve()
    to.on('drain', end).on('close', end)
  })
}
