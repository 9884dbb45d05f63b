// The floor: passes bytes between two sockets of node:net, by the cheapest calls, without reading them.
import { connect, createServer } from 'node:net'

const [port, upstreamPort] = process.argv.slice(2).map(Number)
const buffer = Buffer.allocUnsafeSlow(64 * 1024)

createServer({ noDelay: true }, (client) => {
  let upstream
  const callback = (end) => {
    client.write(buffer.toString('latin1', 0, end), 'latin1')
    return true
  }
  client.on('error', () => client.destroy()).on('close', () => upstream?.destroy())
  client.on('data', (piece) => {
    if (upstream === undefined) {
      if (piece.toString('latin1', 0, 4) === 'GET ') {
        client.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        return
      }
      upstream = connect({ host: '127.0.0.1', port: upstreamPort, noDelay: true, onread: { buffer, callback } })
      upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    }
    upstream.write(piece)
  })
}).listen(port, '127.0.0.1')
