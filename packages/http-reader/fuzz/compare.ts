import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { makeStream, type Stream } from './streams.ts'
import { createNodeSide, createOwnSide, type SeenRequest, type Verdict } from './verdict.ts'

/** Counts of a run, to show that it was not an empty one. */
export interface FuzzCounts {
  streams: number
  /** Requests that the reader has read itself. */
  ownRequests: number
  /** Own requests whose body came in pieces or with later bytes behind it. */
  ownBodies: number
  /** Streams that the reader has read to their end. */
  ownStreams: number
  handedOver: number
  /** Streams that were handed over after at least one own request. */
  handedOverLater: number
  nodeErrors: number
  leftHttp: number
}

/** A stream whose verdicts differ. */
class VerdictsDiffer extends Error {
  override readonly name = 'VerdictsDiffer'
}

/** Sends each stream to Node, and to the reader with Node behind it, and compares their verdicts. */
export interface Comparison extends AsyncDisposable {
  readonly counts: Readonly<FuzzCounts>
  /** @throws {VerdictsDiffer} with the seed and the stream */
  check(seed: number): Promise<void>
  checkStream(stream: Stream, label: string): Promise<void>
}

/** Starts the two servers, each on a socket of the file system: they need no port for each stream. */
export async function startComparison(): Promise<Comparison> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-fuzz-'))
  const verdicts = new Map<Socket, Verdict>()
  const node = createNodeSide(verdicts)
  const own = createOwnSide(verdicts, node)
  const alone = await startServer(join(folder, 'node'), verdicts, (socket) => void node.emit('connection', socket))
  const mixed = await startServer(join(folder, 'own'), verdicts, (socket) => own.accept(socket))
  const counts: FuzzCounts = {
    streams: 0,
    ownRequests: 0,
    ownBodies: 0,
    ownStreams: 0,
    handedOver: 0,
    handedOverLater: 0,
    nodeErrors: 0,
    leftHttp: 0,
  }
  async function checkStream(stream: Stream, label: string): Promise<void> {
    const [expected, actual] = await Promise.all([alone.send(stream), mixed.send(stream)])
    count(counts, expected, actual)
    const difference = findDifference(expected, actual)
    if (difference !== undefined) {
      throw new VerdictsDiffer(
        `${label}: ${difference}\nstream ${JSON.stringify(stream)}\nNode ${JSON.stringify(expected)}\nreader ${JSON.stringify(actual)}`,
      )
    }
  }
  return {
    counts,
    checkStream,
    check: (seed) => checkStream(makeStream(seed), `--streams 1 --seed ${seed}`),
    async [Symbol.asyncDispose]() {
      own.destroy()
      await Promise.all([alone.close(), mixed.close()])
      await rm(folder, { recursive: true })
    },
  }
}

interface FuzzServer {
  send(stream: Stream): Promise<Verdict>
  close(): Promise<void>
}

async function startServer(
  path: string,
  verdicts: Map<Socket, Verdict>,
  accept: (socket: Socket) => void,
): Promise<FuzzServer> {
  const server: Server = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    async send(stream) {
      const accepted = once(server, 'connection')
      const client = connect({ path, allowHalfOpen: true }).resume()
      client.on('error', () => undefined)
      const closed = new Promise((resolve) => client.once('close', resolve))
      client.once('end', () => client.end())
      const [socket] = (await accepted) as [Socket]
      socket.on('error', () => undefined)
      const verdict: Verdict = { requests: [], ownCount: 0, isHandedOver: false, error: undefined }
      verdicts.set(socket, verdict)
      const gone = new Promise((resolve) => socket.once('close', resolve))
      accept(socket)
      await sendPieces(client, socket, stream)
      client.end()
      await gone
      client.destroy()
      await closed
      // A body reaches its handler a few turns after the parser.
      await turn()
      await turn()
      verdicts.delete(socket)
      return verdict
    },
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** Sends a piece when the server has read the one before, so that it reads them one by one. */
async function sendPieces(client: Socket, server: Socket, stream: Stream): Promise<void> {
  let sent = 0
  for (const piece of stream) {
    if (!client.writable || server.destroyed) return
    client.write(piece, 'latin1')
    sent += piece.length
    while (server.bytesRead < sent && !server.destroyed) await turn()
  }
}

function count(counts: FuzzCounts, { error }: Verdict, { requests, ownCount, isHandedOver }: Verdict): void {
  counts.streams += 1
  counts.ownRequests += ownCount
  counts.ownBodies += requests.slice(0, ownCount).filter(({ body }) => body !== '').length
  if (isHandedOver) counts.handedOver += 1
  else counts.ownStreams += 1
  if (isHandedOver && ownCount > 0) counts.handedOverLater += 1
  if (error !== undefined) counts.nodeErrors += 1
  if (requests.some(({ kind }) => kind === 'upgrade' || kind === 'connect')) counts.leftHttp += 1
}

function findDifference(expected: Verdict, actual: Verdict): string | undefined {
  const length = Math.max(expected.requests.length, actual.requests.length)
  for (let index = 0; index < length; index += 1) {
    if (toText(expected.requests[index]) !== toText(actual.requests[index])) return `request ${index + 1} differs`
  }
  const last = actual.requests.at(-1)
  // The reader has no verdict on bytes after the last request of a connection, or on a body that is not whole.
  const isOver = last?.keepsAlive === false || last?.isWhole === false
  if (actual.isHandedOver ? expected.error !== actual.error : expected.error !== undefined && !isOver) {
    return `the errors differ: ${expected.error} and ${actual.error}`
  }
  return undefined
}

function toText(seen: SeenRequest | undefined): string {
  if (seen === undefined) return ''
  return JSON.stringify({ ...seen, headers: Object.entries(seen.headers).sort() })
}
