import { isFields, readWhole, toFields, toText, tryParseJson } from '@svc/proxy/replies'
import { toSendFailure, undecodable } from './status.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'
import { toRouteUrl } from './url.ts'

/** The largest list of models, in bytes. */
const MAX_LIST_BYTES = 16 * 1024 * 1024

/** Lists the names of the instance's models. */
export async function listModels(transport: ServiceTransport, call: ServiceCall): Promise<readonly string[]> {
  const path = '/v1/models'
  const { body } = await transport.get(toRouteUrl(transport.target.root, path), call)
  const bytes = await readWhole(body, MAX_LIST_BYTES).catch((error: unknown) => {
    throw toSendFailure(error)
  })
  const list = tryParseJson(new TextDecoder().decode(bytes))
  if (!isFields(list) || !Array.isArray(list.data)) throw undecodable(path)
  return list.data.map((model) => toText(toFields(model).id) ?? '')
}
