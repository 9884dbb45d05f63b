import { connect } from 'node:http2'

/**
 * Opens one node:http2 session to a backend.
 *
 * @returns a function that calls it: `onMessage` has every framed message, its head of five bytes included
 */
export function openBackend(port) {
  const session = connect(`http://127.0.0.1:${port}`)
  return (name, request, { onMessage, onEnd }) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/backend.Backend/${name}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let rest = Buffer.alloc(0)
    stream.on('data', (piece) => {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const end = 5 + rest.readUInt32BE(1)
        onMessage(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
    stream.on('end', onEnd)
    stream.end(request)
  }
}
