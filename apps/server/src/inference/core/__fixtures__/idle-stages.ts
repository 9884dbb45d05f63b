import { parseJson } from '@svc/json'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import { JsonBody } from '../../documents/request-document.ts'
import type { Stages } from '../pipeline.ts'

/** Stages that let an empty request through to the model `m`, whose reply is relayed from nowhere. */
export function createIdleStages(): Stages {
  const model = createModel({ name: 'm' })
  return {
    body: () => new JsonBody(parseJson(Buffer.from('{}'))),
    resolve: () => ({ replyModel: 'm', requestedModel: 'm', model, through: ['m'] }),
    globalLimit: () => undefined,
    router: (request) => request.model,
    access: () => undefined,
    modelLimit: () => undefined,
    pii: () => ({ splices: [] }),
    parse: () => undefined,
    model: ({ request, ledger }) => ({
      kind: 'relayed',
      context: request.context,
      ledger,
      relayTo: () => Promise.resolve(),
    }),
  }
}
