import { systemClock } from '../../clock.ts'
import { createOutboundClient } from '../../outbound/client.ts'
import { createDownloader } from '../downloader.ts'

/** Downloads one file and says so; a test kills it before. */
const [target = '', url = '', sha256 = ''] = process.argv.slice(2)
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const client = createOutboundClient({
  allow: { cidrs: [], hosts: [] },
  clock: systemClock,
  log: logger,
  userAgent: 'svc/test',
})
const downloader = createDownloader({ client, clock: systemClock, logger })
const { signal } = new AbortController()
const done = await downloader.download({ target, source: { url, trust: 'operator' }, sha256, signal })
process.stdout.write(`${JSON.stringify(done)}\n`)
