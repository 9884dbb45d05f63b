import { request as httpRequest } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

export type Protocol = 'http/1.1' | 'h2'

/** A way to the host: through the proxy at a port, or direct. */
export interface Way {
  readonly proxyPort: number | undefined
  readonly hostPort: number
}

/** Opens a CONNECT connection. */
export function openTunnel(proxyPort: number, target: string, headers: Record<string, string> = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: proxyPort,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
    })
    request.once('connect', (reply, socket: Socket) => {
      if (reply.statusCode === 200) resolve(socket)
      else reject(new Error(`CONNECT was answered with ${reply.statusCode}`))
    })
    request.once('error', reject)
    request.end()
  })
}

async function openTls({ proxyPort, hostPort }: Way, protocol: Protocol): Promise<TLSSocket> {
  const socket =
    proxyPort === undefined
      ? connectTcp(hostPort, '127.0.0.1')
      : await openTunnel(proxyPort, `127.0.0.1:${hostPort}`, { 'x-protocol': protocol })
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    const tls = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: [protocol] }, () => resolve(tls))
    tls.once('error', reject)
    tls.once('close', () => reject(new Error('closed before the end of the handshake')))
  })
}

/** Sends one request after the other over one connection. */
export interface Sender {
  /** Resolves with the size of the reply's body. */
  send(path: string, body: string): Promise<number>
  close(): void
}

export async function openSender(way: Way, protocol: Protocol): Promise<Sender> {
  const tls = await openTls(way, protocol)
  return protocol === 'h2' ? createHttp2Sender(tls, way) : createHttp1Sender(tls, way)
}

function createHttp1Sender(tls: TLSSocket, { hostPort }: Way): Sender {
  let received = ''
  let finish: ((size: number) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  tls.setEncoding('latin1')
  tls.on('data', (text: string) => {
    received += text
    const end = received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = received.slice(0, end)
    const size = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
    if (!head.startsWith('HTTP/1.1 200')) fail?.(new Error(head))
    if (received.length < end + 4 + size) return
    received = received.slice(end + 4 + size)
    finish?.(size)
  })
  tls.on('error', (error) => fail?.(error))
  tls.on('close', () => fail?.(new Error('closed')))
  return {
    send: (path, body) =>
      new Promise((resolve, reject) => {
        finish = resolve
        fail = reject
        tls.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${hostPort}\r\ncontent-type: application/json\r\nauthorization: Bearer key\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        )
      }),
    close() {
      fail = undefined
      tls.destroy()
    },
  }
}

function createHttp2Sender(tls: TLSSocket, { hostPort }: Way): Sender {
  const session: ClientHttp2Session = connectHttp2(`https://127.0.0.1:${hostPort}`, { createConnection: () => tls })
  session.on('error', () => {})
  return {
    send: (path, body) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': path,
          'content-type': 'application/json',
          authorization: 'Bearer key',
        })
        let size = 0
        stream.on('response', ({ ':status': status }) => {
          if (status !== 200) reject(new Error(`status ${status}`))
        })
        stream.on('data', (bytes: Buffer) => {
          size += bytes.length
        })
        stream.on('end', () => resolve(size))
        stream.on('error', reject)
        stream.end(body)
      }),
    close: () => session.destroy(),
  }
}

/** The result of a load. */
export interface Load {
  readonly requests: number
  readonly perSecond: number
}

/** Opens connections and sends a few requests over each; the returned function measures requests over them. */
export async function openKept(
  way: Way,
  options: { protocol: Protocol; path: string; body: string; connections: number; seconds: number },
): Promise<{ measure(): Promise<Load>; close(): void }> {
  const { protocol, path, body, connections, seconds } = options
  const senders = await Promise.all(Array.from({ length: connections }, () => openSender(way, protocol)))
  const run = async (limitMs: number): Promise<Load> => {
    const begun = performance.now()
    let requests = 0
    const work = async (sender: Sender): Promise<void> => {
      while (performance.now() < begun + limitMs) {
        await sender.send(path, body)
        requests += 1
      }
    }
    await Promise.all(senders.map(work))
    return { requests, perSecond: (requests / (performance.now() - begun)) * 1000 }
  }
  await run(300)
  return {
    measure: () => run(seconds * 1000),
    close() {
      for (const sender of senders) sender.close()
    },
  }
}

/** New connections a second, each with one request. */
export async function runNew(way: Way, options: { path: string; body: string; connections: number; seconds: number }) {
  const { path, body, connections, seconds } = options
  const begun = performance.now()
  const until = begun + seconds * 1000
  let requests = 0
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      const sender = await openSender(way, 'http/1.1')
      await sender.send(path, body)
      sender.close()
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { requests, perSecond: requests / ((performance.now() - begun) / 1000) }
}

/** Delays of events from their sending to their arrival, in milliseconds. */
export async function runEvents(way: Way, streams: number): Promise<number[]> {
  const delays: number[] = []
  const follow = async (): Promise<void> => {
    const tls = await openTls(way, 'http/1.1')
    tls.setEncoding('latin1')
    tls.write(
      `POST /events HTTP/1.1\r\nhost: 127.0.0.1:${way.hostPort}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`,
    )
    for await (const text of tls) {
      const now = process.hrtime.bigint()
      for (const [, sent = '0'] of String(text).matchAll(/data: (\d+)/g)) delays.push(Number(now - BigInt(sent)) / 1e6)
    }
  }
  await Promise.all(Array.from({ length: streams }, follow))
  return delays
}
