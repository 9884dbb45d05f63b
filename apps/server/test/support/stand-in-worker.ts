import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually, patienceMs } from '@svc/test-kit'
import { expect } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { systemClock } from '../../src/clock.ts'
import { type NodeTopic, nodeSubject } from '../../src/cluster/contract/subjects.ts'
import { createNatsMessenger, type NatsMessenger } from '../../src/cluster/nats/create-nats-messenger.ts'
import { quietLogger } from '../../src/logging/quiet-logger.ts'

/** What a worker does with a request of the bus. */
export type StandInReply = (payload: unknown, bus: NatsMessenger) => unknown

/** The network side of a worker: it answers as a test says, and runs nothing. */
export interface StandInWorker extends AsyncDisposable {
  /** Its own file server, `host:port`. */
  readonly httpAddress: string
  /** What it was asked over the bus, the newest last. */
  readonly asked: readonly { readonly topic: NodeTopic; readonly payload: unknown }[]
  /** Open sockets that follow the output of a model. */
  readonly followers: ReadonlySet<WebSocket>
  /** Connects to the bus with the credentials that the server minted, and answers. */
  join(bus: {
    readonly url: string
    readonly id: string
    readonly jwt: string
    readonly seed: string
    readonly replies: Partial<Record<NodeTopic, StandInReply>>
  }): Promise<void>
  /** Leaves the bus. */
  leave(): Promise<void>
}

/** Lines that its backends have written. */
export const STAND_IN_LINES = [
  { timestamp: '2026-01-02T03:04:05.006Z', stream: 'stdout', text: 'loading' },
  { timestamp: '2026-01-02T03:04:05.007Z', stream: 'stderr', text: 'ready' },
]
/** The model whose backends have written {@link STAND_IN_LINES}. */
export const STAND_IN_MODEL = 'a/b'

/** @param token what its callers must send as bearer */
export async function startStandInWorker({ token }: { readonly token: string }): Promise<StandInWorker> {
  const isAllowed = ({ headers }: IncomingMessage): boolean => headers.authorization === `Bearer ${token}`
  const followers = new Set<WebSocket>()
  const sockets = new WebSocketServer({ noServer: true })
  const http = createServer((request, response) => {
    if (!isAllowed(request)) response.writeHead(401).end()
    else answerLogs(request, response)
  })
  http.on('upgrade', (request, socket, head) => {
    if (!isAllowed(request) || request.url !== `/v1/backend-logs/${encodeURIComponent(STAND_IN_MODEL)}/ws`) {
      socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (follower) => {
      followers.add(follower)
      follower.once('close', () => followers.delete(follower))
      follower.send(JSON.stringify({ type: 'initial', lines: STAND_IN_LINES }))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const asked: { readonly topic: NodeTopic; readonly payload: unknown }[] = []
  let bus: NatsMessenger | undefined

  async function leave(): Promise<void> {
    await bus?.close()
    bus = undefined
  }
  return {
    httpAddress: `127.0.0.1:${(http.address() as AddressInfo).port}`,
    asked,
    followers,
    async join({ url, id, replies, ...credentials }) {
      const mine = await createNatsMessenger({
        url,
        credentials,
        name: 'a worker',
        inboxPrefix: '_INBOX',
        firstConnectionMs: patienceMs(),
        clock: systemClock,
        logger: quietLogger,
      })
      bus = mine
      for (const [topic, reply] of Object.entries(replies) as [NodeTopic, StandInReply][]) {
        mine.serve(nodeSubject(id, topic), async (payload) => {
          asked.push({ topic, payload })
          return reply(payload, mine)
        })
      }
      await eventually(() => expect(mine.isConnected).toBe(true))
    },
    leave,
    async [Symbol.asyncDispose]() {
      await leave()
      for (const follower of followers) follower.terminate()
      sockets.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function answerLogs({ url }: IncomingMessage, response: ServerResponse): void {
  const bodies: Readonly<Record<string, unknown>> = {
    '/v1/backend-logs': [STAND_IN_MODEL],
    [`/v1/backend-logs/${encodeURIComponent(STAND_IN_MODEL)}`]: STAND_IN_LINES,
  }
  const body = bodies[url ?? '']
  if (body === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
