// The proxy of `@svc/mitm` with the filter of private text, as it was built.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createCaFolder, openAuthority, startMitmProxy } from '@svc/mitm'
import { filterBody } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'

const [port = '', readyPort = '', folder = '', trusted = ''] = process.argv.slice(2)
const detector = createDetector({ name: 'bench', settings: { builtins: ['email', 'codehost_token'] } })
const filter = {
  async filter({ body, format }) {
    const filtered = await filterBody(body, { format, detectors: [detector] })
    return filtered.blocked ? { blocked: true } : { blocked: false, body: filtered.body }
  },
}
await startMitmProxy({
  authority: await openAuthority({ store: createCaFolder(folder) }),
  policy: { find: (host) => (host === '127.0.0.1' ? { filter } : undefined) },
  port: Number(port),
  trustedAuthorities: readFileSync(trusted, 'utf8'),
})
createServer((_, response) => void response.end('ready')).listen(Number(readyPort), '127.0.0.1')
