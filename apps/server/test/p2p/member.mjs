// A member of a peer-to-peer network in a process of its own: offers an echo at a local port and prints its token.
import { createServer } from 'node:net'
import { systemClock } from '../../src/clock.ts'
import { openNetwork } from '../../src/p2p/network.ts'
import { readToken } from '../../src/p2p/token.ts'

const [token, passwordSeconds] = process.argv.slice(2)
const echo = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined)
  socket.pipe(socket)
})
await new Promise((resolve) => echo.listen(0, '127.0.0.1', resolve))
const say = (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
const network = await openNetwork({
  token: readToken(token),
  networkId: 'test',
  listen: { host: '127.0.0.1', port: 0 },
  peers: [],
  mdns: false,
  lookMs: 500,
  passwordMs: Number(passwordSeconds) * 1000,
  announceMs: 200,
  name: 'worker',
  offers: { worker: () => ({ host: '127.0.0.1', port: echo.address().port }) },
  wants: [],
  clock: systemClock,
  logger: { debug: () => undefined, info: say, warn: say, error: say },
})
process.stdout.write(`${network.token()}\n`)
process.on('message', (message) => {
  if (message === 'count') echo.getConnections((_, count) => process.send({ count }))
})
