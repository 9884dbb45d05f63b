import type { ClientHttp2Stream } from 'node:http2'
import { onTestFinished, vi } from 'vitest'
import { Session } from '../../src/connection/session.ts'

/** Collects the streams that the clients of this test open, in their order. */
export function watchStreams(): readonly ClientHttp2Stream[] {
  const streams: ClientHttp2Stream[] = []
  const request = Session.prototype.request
  const spy = vi.spyOn(Session.prototype, 'request').mockImplementation(function (this: Session, headers) {
    const stream = request.call(this, headers)
    streams.push(stream)
    return stream
  })
  onTestFinished(() => spy.mockRestore())
  return streams
}
