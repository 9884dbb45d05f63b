// The baseline of starts: Node with an HTTP server.
import { createServer } from 'node:http'

createServer((_, outgoing) => outgoing.end('ready')).listen(Number(process.argv[2]), '127.0.0.1')
