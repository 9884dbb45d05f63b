import { expect, it } from 'vitest'
import { startComparison } from '../fuzz/compare.ts'

const STREAMS = 10_000

// A failure names the seed of its stream: `pnpm --filter @svc/http-reader fuzz -- --streams 1 --seed N`.
it(`reads ${STREAMS} streams as Node reads them, or leaves them to Node`, async () => {
  await using comparison = await startComparison()
  for (let seed = 1; seed <= STREAMS; seed += 1) await comparison.check(seed)
  const { counts } = comparison
  expect(counts.streams).toBe(STREAMS)
  expect(counts.ownRequests).toBeGreaterThan(STREAMS / 2)
  expect(counts.ownBodies).toBeGreaterThan(STREAMS / 4)
  expect(counts.ownStreams).toBeGreaterThan(STREAMS / 10)
  expect(counts.handedOverLater).toBeGreaterThan(STREAMS / 10)
  expect(counts.nodeErrors).toBeGreaterThan(STREAMS / 10)
  expect(counts.leftHttp).toBeGreaterThan(50)
})

/** A stream that uses most parts of the reader, cut at every place: a plain request, a body, chunks, an error. */
const EVERYTHING =
  'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc' +
  'POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 14\r\n\r\nGET / HTTP/1.1' +
  'GET /b HTTP/1.1\r\n\r\n' +
  'POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n' +
  'GET /d HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'

it('reads a stream that is cut at any place as Node reads it', async () => {
  await using comparison = await startComparison()
  for (let at = 1; at < EVERYTHING.length; at += 1) {
    await comparison.checkStream([EVERYTHING.slice(0, at), EVERYTHING.slice(at)], `cut at ${at}`)
  }
  expect(comparison.counts.nodeErrors).toBe(EVERYTHING.length - 1)
  expect(comparison.counts.ownRequests).toBeGreaterThan(EVERYTHING.length)
})
