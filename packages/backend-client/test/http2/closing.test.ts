import { constants } from 'node:http2'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { parseBackendAddress } from '../../src/address.ts'
import { KEEPALIVE } from '../../src/connection/keepalive.ts'
import { openSession } from '../../src/connection/open-session.ts'
import { Session } from '../../src/connection/session.ts'
import { GRPC } from '../../src/grpc-status.ts'
import { type RawStream, startRawHttp2 } from './raw-http2.ts'

const HEADERS = { ':method': 'POST', ':path': '/backend.Backend/Predict' }
const LOST = { code: GRPC.UNAVAILABLE, details: 'the connection was lost' }

/** Ways in which a session comes to its end after its first call has begun. */
const WAYS: readonly { readonly name: string; leave(session: Session, peer: RawStream): void | Promise<void> }[] = [
  {
    name: 'is retired without calls',
    leave(session) {
      session.release()
      session.retire()
    },
  },
  {
    name: 'is retired before its last call ends',
    leave(session) {
      session.retire()
      session.release()
    },
  },
  {
    name: 'was told to go away before its last call ends',
    async leave(session, peer) {
      peer.goaway(1, constants.NGHTTP2_NO_ERROR)
      await expect.poll(() => session.isOpen).toBe(false)
      session.release()
    },
  },
  {
    name: 'is destroyed without calls',
    leave(session) {
      session.release()
      session.destroy(LOST)
    },
  },
  {
    name: 'is destroyed before its last call ends',
    leave(session) {
      session.destroy(LOST)
      session.release()
    },
  },
]

it.each(WAYS)('lets its socket go when a session $name and the backend is frozen', async ({ leave }) => {
  let peer: RawStream | undefined
  await using backend = await startRawHttp2({
    onRequest(stream) {
      peer = stream
    },
  })
  const address = parseBackendAddress(backend.address)
  const connection = await openSession(address, { signal: AbortSignal.timeout(20_000) })
  let gone = 0
  const session = new Session(connection, KEEPALIVE, {
    onRetired: () => {},
    onGone: () => {
      gone += 1
    },
    onTooManyPings: () => {},
  })
  const stream = session.request(HEADERS)
  stream.on('error', () => {})
  await expect.poll(() => peer).toBeDefined()
  if (peer === undefined) throw new Error('the backend got no call')
  const { socket }: { readonly socket: Socket } = peer
  await leave(session, peer)
  socket.pause()
  stream.destroy()
  await expect.poll(() => gone).toBe(1)
})
