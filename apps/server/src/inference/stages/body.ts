import type { MaybePromise } from '../../ports.ts'
import type { Cleanup, IncomingRequest } from '../core/pipeline.ts'
import type { HeldBytes, RequestBody, RequestContext } from '../core/ports.ts'
import type { FormRules } from '../documents/form.ts'
import { readDocument, readSmallDocument, SMALL_BODY_BYTES } from '../documents/read-json.ts'
import { FormBody, JsonBody, type RequestDocument } from '../documents/request-document.ts'

function isForm(context: Pick<RequestContext, 'header'>): boolean {
  return /^multipart\/form-data\b/i.test(context.header('content-type') ?? '')
}

/** Reads the body once, as JSON or as a form. A message of a socket is a tree already. */
export function readRequestBody(
  { source, context, format }: IncomingRequest,
  cleanup: Cleanup,
): MaybePromise<RequestDocument> {
  if ('message' in source) return new JsonBody(source.message)
  const { form, takesJson = false } = format
  if (form !== undefined && (!takesJson || isForm(context))) return readForm(source.body, form)
  const held = source.body.whole()
  if (held === undefined || held.bytes.length > SMALL_BODY_BYTES) return readSlowly(source.body, held)
  cleanup.add(held.release)
  return new JsonBody(readSmallDocument(held.bytes))

  /** Reads a body that has not arrived, or takes long to parse. */
  async function readSlowly(body: RequestBody, whole: HeldBytes | undefined): Promise<RequestDocument> {
    const arrived = whole ?? (await body.read())
    cleanup.add(arrived.release)
    return new JsonBody(await readDocument(arrived.bytes, context))
  }

  async function readForm(body: RequestBody, rules: FormRules): Promise<RequestDocument> {
    const form = await body.form(rules)
    cleanup.add(form.release)
    return new FormBody(form)
  }
}
