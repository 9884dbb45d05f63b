// The peer: mockttp as a proxy that passes everything through.
import { createServer } from 'node:http'
import { generateCACertificate, getLocal } from 'mockttp'

const [port, readyPort] = process.argv.slice(2).map(Number)
const proxy = getLocal({ https: await generateCACertificate(), http2: true, recordTraffic: false })
await proxy.start(port)
await proxy.forAnyRequest().thenPassThrough({ ignoreHostHttpsErrors: true })
createServer((_, response) => response.end('ready')).listen(readyPort, '127.0.0.1')
