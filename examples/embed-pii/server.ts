import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TokenClassifier } from '@svc/pii'
import { createNerDetector } from '@svc/pii/detectors'
import { type FilteredRequest, piiFilter } from './middleware.ts'

const CUSTOMERS = ['Ada Byron', 'Žofie Horáková']

/** The "recogniser": knows the customers. A real one is a model; offsets count bytes of UTF-8. */
const customers: TokenClassifier = {
  async classify(text) {
    return CUSTOMERS.flatMap((name) =>
      [...text.matchAll(new RegExp(name, 'g'))].map(({ index }) => {
        const start = Buffer.byteLength(text.slice(0, index))
        return { start, end: start + Buffer.byteLength(name), group: 'CUSTOMER', score: 1 }
      }),
    )
  },
}

const filter = piiFilter({
  format: 'chat-completions',
  detectors: [createNerDetector({ name: 'customers', settings: { defaultAction: 'mask' }, classifier: customers })],
  blockUnscannedMedia: true,
})

// The "model" repeats its request.
const server = createServer((request: FilteredRequest, response) => {
  void filter(request, response, () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => server.close())
